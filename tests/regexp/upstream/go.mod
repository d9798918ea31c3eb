module dradsl/regexp

go 1.25
