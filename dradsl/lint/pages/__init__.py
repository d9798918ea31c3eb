"""Rule documents and their examples, for `dradsl rule` and the site; no check reads them."""
