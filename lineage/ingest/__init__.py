"""Write events and plan documents into log and graph."""
