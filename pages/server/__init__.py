"""The server: applications, learners' sockets, the workers that compute, files, and guards."""
