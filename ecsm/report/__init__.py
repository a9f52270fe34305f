# SPDX-License-Identifier: Apache-2.0
"""Tables, charts and generated parts of the documents, from the results."""
