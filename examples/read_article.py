"""Open a page and print its article as Markdown.

python examples/read_article.py https://example.com
"""

import sys

from pilothouse import connect

url = sys.argv[1] if len(sys.argv) > 1 else "https://example.com"

with connect() as client:
    tab = client.open(url)
    article = tab.extract()
    print(f"# {article['title']}\n")
    print(article["text"])
