"""The playground: a program of one's own, its gradients and its graph."""

from pages.ui.playground_view import playground

playground()
