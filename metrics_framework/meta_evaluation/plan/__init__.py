"""Plans of studies: how many raters and inputs a wanted interval or power needs."""
