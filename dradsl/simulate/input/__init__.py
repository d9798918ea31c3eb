"""What recorded objects say before anything is placed: which nodes there are, and what ails them."""
