// A page does the work: the rule that gives a line another Origin holds for pages only.
chrome.tabs.create({ url: 'page.html', active: false });
