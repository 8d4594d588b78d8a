"""The hot loops, each behind one name in `dispatch`, with a readable Python twin that defines the result."""
