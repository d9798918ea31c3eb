"""What an editor shows of CEL selectors: what a place looks up, tokens, hints behind them."""
