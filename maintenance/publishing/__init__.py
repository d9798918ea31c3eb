"""What a release is made of besides the wheel, and its rehearsal. Only Python's own library is needed; `.ci` has the commands."""
