//go:build k8s134

package main

func newerStrategyFor(string, string) strategy { return nil }
