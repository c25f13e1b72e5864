"""THE BRIDGE: CDP for outside clients (Playwright, Puppeteer, your own), on one local port.

    client ----> server/ ----> relay.py ----> hub/ ----> Connection of a managed browser
                 RelayServer   Relay          Hub  ----> Connection of an extension browser
    extension -> server/ ----> extension/ (ExtensionRegistry) <-> extension_browser/

Read in this order:

    interfaces.py             MessageSocket, MessageHandler, ClientSpec, Hello, HttpRefusal: what
                              the parts pass to each other
    cdp_bytes.py              CDP messages as bytes: read or replace ids and sessions without
                              decoding
    target_command_params.py  Chrome's target filters and `AutoAttach`, for hub and extension
                              browser
    relay.py                  Relay: which browser and owner a client gets, and what ends with it
    server/                   HTTP, WebSocket, tokens, pairing; knows no CDP
    hub/                      all clients of one browser: sessions, targets, dialogs, command tables
    lazy/                     a tab session that answers set-up commands before a debugger is
                              attached
    extension/                the connection to the extension, and where its files are installed
    extension_browser/        the user's Chrome behind `chrome.debugger`, shown as a CDP browser
    login_autostart.py        starts the relay at login
"""
