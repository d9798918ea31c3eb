"""What recorded slices say in an editor: values of attributes, devices that match, pods that fit."""
