"""What a tree says about its cluster: releases with their values, and facts with the file that states them."""
