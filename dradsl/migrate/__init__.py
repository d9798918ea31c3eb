"""From device plugins to resource claims: find the uses, plan what each becomes, edit, prove.

What cannot be known from the input is refused with the question to answer, never guessed.
"""
