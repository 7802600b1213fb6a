"""How well the shipped networks do: what is told of pictures, counted against what is true of them."""
