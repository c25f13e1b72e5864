"""Visit several pages at once and print their titles. Uses asyncio and no daemon.

python examples/many_pages.py https://example.com https://example.org
"""

import asyncio
import sys

import pilothouse

urls = sys.argv[1:] or ["https://example.com", "https://example.org"]


async def title(browser: pilothouse.Browser, url: str) -> str:
    page = await browser.new_page(url)
    try:
        return await page.title()
    finally:
        await page.close()


async def main() -> None:
    async with pilothouse.launch() as browser:
        for url, name in zip(
            urls, await asyncio.gather(*(title(browser, url) for url in urls)), strict=True
        ):
            print(f"{name}  <{url}>")


asyncio.run(main())
