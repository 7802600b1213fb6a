"""What scenes are made of, drawn or fetched: cards, felts, chips and hands, one folder each."""
