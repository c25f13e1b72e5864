"""Decides about every CDP method: one table, with a column for tools and one for relay clients.

Both columns deny by default: a method in neither list is refused. A tool's command runs on the
supervisor's own session of the tab; a relay client has a session of its own. So a tool may not
disable a domain, because the supervisor would lose its events; a relay client may.

Knows: which method reaches beyond its page, touches files, undoes the supervisor's own setup, or
stops the page. Must not know: how a decision is applied (see `cdp_policy`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final

import msgspec

__all__ = ["ALLOWED", "RELAY", "TOOL", "Check", "Decision"]


class Check(Enum):
    """The condition under which a method is allowed."""

    NONE = "allowed"
    REFUSED = "refused"
    # `fields` hold URLs: the URL policy judges each.
    URL = "url"
    # Goes to an entry of the tab's history: the URL policy judges its URL.
    HISTORY = "history"
    # Drag data: no files; its URLs are judged like navigations.
    DRAG = "drag"
    # File paths: the file policy of the relay client judges them.
    FILES = "files"
    # Only if the cookie jar belongs to the sender alone: no kept profile, no joined browser.
    OWN_JAR = "own cookie jar"
    # Affects every tab of the browser: only while no other owner has a tab in it.
    ALONE = "alone"
    # No fields except `fields`.
    FIELDS = "fields"
    # The fields, if given, must have one of `values`.
    VALUES = "values"
    # Must name an object that the sender created itself; `values` holds its kind.
    CREATED_BY_SENDER = "created by sender"
    # A stream that a command of the sender opened; not a blob URL.
    STREAM = "stream"
    # The relay replies itself (the tables in relay/hub/commands).
    HANDLED = "handled"


class Decision(msgspec.Struct, frozen=True):
    """The decision about one method. `why` and `instead` are texts for a refusal."""

    check: Check = Check.NONE
    fields: tuple[str, ...] = ()
    values: tuple[object, ...] = ()
    why: str = ""
    instead: str = ""


ALLOWED: Final = Decision()


def _methods(text: str) -> Iterator[str]:
    """Yield the method names of lines such as `Page: enable reload`."""
    domain = ""
    for word in text.split():
        if word.endswith(":"):
            domain = word[:-1]
        else:
            yield f"{domain}.{word}"


# Does nothing that the page's own scripts, or other tools of the owner, could not do.
_CONFINED = """
Accessibility: enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree
    getRootAXNode queryAXTree
Ads: getAdMetrics getAdScripts
Animation: disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation
    seekAnimations setPaused setPlaybackRate setTiming
Audits: checkFormsIssues disable enable getEncodedResponse
Browser: getVersion
CSS: addRule collectClassNames createStyleSheet disable enable forcePseudoState forceStartingStyle
    getAnimatedStylesForNode getBackgroundColors getComputedStyleForNode getEnvironmentVariables
    getInlineStylesForNode getLayersForNode getLocationForSelector getLonghandProperties
    getMatchedStylesForNode getMediaQueries getPlatformFontsForNode getStyleSheetText resolveValues
    setContainerQueryConditionText setContainerQueryText setEffectivePropertyValueForNode
    setKeyframeKey setLocalFontsEnabled setMediaText setNavigationText setPropertyRulePropertyName
    setRuleSelector setScopeText setStyleSheetText setStyleTexts setSupportsText
    startRuleUsageTracking stopRuleUsageTracking takeComputedStyleUpdates takeCoverageDelta
    trackComputedStyleUpdates trackComputedStyleUpdatesForNode
CacheStorage: deleteCache deleteEntry requestCacheNames requestCachedResponse requestEntries
Console: clearMessages disable enable
CrashReportContext: getEntries
DOM: clearTextMarkers collectClassNamesFromSubtree copyTo describeNode discardSearchResults focus
    forceShowInterest forceShowPopover getAnchorElement getAttributes getBoxModel
    getContainerForNode getContentQuads getDetachedDomNodes getDocument getElementByRelation
    getFlattenedDocument getFrameOwner getImplicitAnchorCandidates getNodeForLocation
    getNodeStackTraces getNodesForSubtreeByStyle getOuterHTML getQueryingDescendantsForContainer
    getRelayoutBoundary getSearchResults getTopLayerElements hideHighlight highlightNode
    highlightRect markUndoableState moveTo performSearch pushNodeByPathToFrontend
    pushNodesByBackendIdsToFrontend querySelector querySelectorAll redo removeAttribute removeNode
    requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded setAttributeValue
    setAttributesAsText setInspectedNode setNodeName setNodeStackTracesEnabled setNodeValue
    setOuterHTML setTextMarker undo
DOMDebugger: getEventListeners
DOMSnapshot: captureSnapshot disable enable getSnapshot
DOMStorage: clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem
DeviceOrientation: clearDeviceOrientationOverride setDeviceOrientationOverride
Emulation: canEmulate clearDeviceMetricsOverride clearDevicePostureOverride
    clearDisplayFeaturesOverride clearGeolocationOverride clearIdleOverride
    getOverriddenSensorInformation getScreenInfos resetPageScaleFactor setAutoDarkModeOverride
    setAutomationOverride setCPUPerformanceOverride setCPUThrottlingRate setDataSaverOverride
    setDefaultBackgroundColorOverride setDeviceMetricsOverride setDevicePostureOverride
    setDisabledImageTypes setDisplayFeaturesOverride setDocumentCookieDisabled
    setEmitTouchEventsForMouse setEmulatedMedia setEmulatedOSTextScale
    setEmulatedVisionDeficiency setFocusEmulationEnabled setGeolocationOverride
    setHardwareConcurrencyOverride setIdleOverride setLocaleOverride setNavigatorOverrides
    setPageScaleFactor setPressureSourceOverrideEnabled setPressureStateOverride
    setSafeAreaInsetsOverride setScriptExecutionDisabled setScrollbarsHidden
    setSensorOverrideEnabled setSensorOverrideReadings setSmallViewportHeightDifferenceOverride
    setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride
    setVirtualKeyboardGeometryOverride setVisibleSize
FindInPage: findFirst findNext findPrev stop
HeapProfiler: collectGarbage disable enable getSamplingProfile startSampling stopSampling
IndexedDB: clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable getMetadata
    requestData requestDatabase requestDatabaseNames
Input: cancelDragging dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent
    emulateTouchFromMouseEvent imeSetComposition insertText setInterceptDrags
    synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture
Inspector: enable
LayerTree: compositingReasons disable enable makeSnapshot profileSnapshot releaseSnapshot
    replaySnapshot snapshotCommandLog
Log: clear enable startViolationsReport stopViolationsReport
Media: disable enable
Memory: getAllTimeSamplingProfile getDOMCounters getSamplingProfile startSampling stopSampling
Network: canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions deleteCookies
    emulateNetworkConditions emulateNetworkConditionsByRule enableReportingApi fetchSchemefulSite
    getAllCookies getCertificate getCookies getRequestPostData getResponseBody
    getSecurityIsolationStatus overrideNetworkState replayXHR searchInResponseBody
    setAttachDebugStack setCacheDisabled setCookie setCookies setExtraHTTPHeaders
    setUserAgentOverride streamResourceContent
Overlay: disable enable getGridHighlightObjectsForTest getHighlightObjectForTest
    getSourceOrderHighlightObjectForTest hideHighlight highlightFrame highlightNode highlightQuad
    highlightRect highlightSourceOrder setInspectMode setPausedInDebuggerMessage
    setShowAdHighlights setShowContainerQueryOverlays setShowDebugBorders setShowDisplayCutout
    setShowFPSCounter setShowFlexOverlays setShowGridOverlays setShowHinge setShowHitTestBorders
    setShowInspectedElementAnchor setShowIsolatedElements setShowLayoutShiftRegions
    setShowPaintRects setShowScrollBottleneckRects setShowScrollSnapOverlays
    setShowViewportSizeOnResize setShowWebVitals setShowWindowControlsOverlay
Page: addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront captureScreenshot
    captureSnapshot clearCompilationCache clearDeviceMetricsOverride
    clearDeviceOrientationOverride clearGeolocationOverride close deleteCookie generateTestReport
    getAdScriptAncestry getAnnotatedPageContent getAppId getAppManifest getFrameTree
    getInstallabilityErrors getLayoutMetrics getManifestIcons getNavigationHistory getOriginTrials
    getPermissionsPolicyState getResourceContent getResourceTree handleJavaScriptDialog printToPDF
    reload resetNavigationHistory searchInResource setAdBlockingEnabled setBypassCSP
    setDeviceMetricsOverride setDeviceOrientationOverride setDocumentContent setFontFamilies
    setFontSizes setGeolocationOverride setPrerenderingAllowed setTouchEmulationEnabled stopLoading
Performance: enable getMetrics setTimeDomain
PerformanceTimeline: enable
Preload: disable enable
Profiler: disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop
    stopPreciseCoverage takePreciseCoverage
Runtime: addBinding awaitPromise callFunctionOn compileScript discardConsoleEntries enable evaluate
    getExceptionDetails getHeapUsage getIsolateId getProperties globalLexicalScopeNames
    queryObjects releaseObject releaseObjectGroup runScript setAsyncCallStackDepth
    setMaxCallStackSizeToCapture terminateExecution
Schema: getDomains
Security: disable enable
Storage: getStorageKey getStorageKeyForFrame
WebAudio: disable enable getRealtimeData
WebAuthn: addCredential addVirtualAuthenticator clearCredentials disable enable getCredential
    getCredentials removeCredential removeVirtualAuthenticator setAutomaticPresenceSimulation
    setCredentialProperties setResponseOverrideBits setUserVerified
WebMCP: cancelInvocation disable enable invokeTool
"""

# Affects data of every site in the cookie jar: only where the jar is deleted with its owner.
_OWN_JAR = """
BackgroundService: clearEvents setRecording startObserving stopObserving
FileSystem: getDirectory
Network: clearBrowserCache clearBrowserCookies
ServiceWorker: deliverPushMessage disable dispatchPeriodicSyncEvent dispatchSyncEvent enable
    setForceUpdateOnPageLoad skipWaiting startWorker stopAllWorkers stopWorker unregister
    updateRegistration
Storage: clearCookies clearDataForOrigin clearDataForStorageKey clearTrustTokens
    deleteStorageBucket getTrustTokens getUsageAndQuota overrideQuotaForOrigin
    setStorageBucketTracking trackCacheStorageForOrigin trackCacheStorageForStorageKey
    trackIndexedDBForOrigin trackIndexedDBForStorageKey untrackCacheStorageForOrigin
    untrackCacheStorageForStorageKey untrackIndexedDBForOrigin untrackIndexedDBForStorageKey
"""

# Allowed for relay clients, on their own sessions; refused for tools: (why, instead, methods).
_RELAY_ONLY: Final = (
    (
        "the supervisor relies on this domain in every tab",
        "leave it on; it costs nothing",
        """
        Accessibility: disable
        DOM: disable
        FedCm: disable enable
        Inspector: disable
        Log: disable
        Network: disable
        Page: disable
        Performance: disable
        Runtime: disable
        """,
    ),
    (
        "identity prompts are handled as interrupts",
        "answer the interrupt",
        "FedCm: clickDialogButton dismissDialog openUrl resetCooldown selectAccount",
    ),
    (
        "the URL policy and routes use it in every tab",
        "use route",
        """
        Fetch: continueResponse enable failRequest fulfillRequest getResponseBody
            takeResponseBodyAsStream
        Network: setBlockedURLs
        """,
    ),
    (
        "HTTP authentication is handled as an interrupt",
        "answer the interrupt",
        "Fetch: continueWithAuth",
    ),
    ("the URL policy and routes use it in every tab", "use unroute", "Fetch: disable"),
    (
        "a page that is paused at a breakpoint blocks every tool",
        "read state with console or Runtime.evaluate",
        """
        DOMDebugger: removeDOMBreakpoint removeEventListenerBreakpoint
            removeInstrumentationBreakpoint removeXHRBreakpoint setBreakOnCSPViolation
            setDOMBreakpoint setEventListenerBreakpoint setInstrumentationBreakpoint
            setXHRBreakpoint
        Debugger: continueToLocation disable disassembleWasmModule enable evaluateOnCallFrame
            getPossibleBreakpoints getScriptSource getStackTrace getWasmBytecode
            nextWasmDisassemblyChunk pause pauseOnAsyncCall removeBreakpoint restartFrame resume
            searchInContent setAsyncCallStackDepth setBlackboxExecutionContexts
            setBlackboxPatterns setBlackboxedRanges setBreakpoint setBreakpointByUrl
            setBreakpointOnFunctionCall setBreakpointsActive setInstrumentationBreakpoint
            setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses setVariableValue
            stepInto stepOut stepOver
        EventBreakpoints: disable removeInstrumentationBreakpoint setInstrumentationBreakpoint
        """,
    ),
    (
        "it stops the page, which blocks every tool",
        "use the timeout of the call",
        """
        Emulation: setVirtualTimePolicy
        Page: crash setWebLifecycleState
        """,
    ),
    (
        "its data comes as events, which no tool returns",
        "use HeapProfiler.startSampling and getSamplingProfile",
        """
        HeapProfiler: addInspectedHeapObject getHeapObjectId getObjectByHeapObjectId
            startTrackingHeapObjects stopTrackingHeapObjects takeHeapSnapshot
        """,
    ),
    (
        "its images come as events, which no tool returns",
        "use screenshot",
        "Page: screencastFrameAck startScreencast stopScreencast",
    ),
    (
        "file choosers are handled as interrupts",
        "use upload, or answer the interrupt",
        "Page: setInterceptFileChooserDialog",
    ),
    (
        "the browser's own prompts are not for tools",
        "type into the fields",
        """
        Autofill: disable enable setAddresses trigger
        DeviceAccess: cancelPrompt disable enable selectPrompt
        """,
    ),
    (
        "the supervisor resumes targets",
        "use wait",
        "Runtime: runIfWaitingForDebugger",
    ),
    (
        "scripts of the page would run on every read of a value",
        "leave it off",
        "Runtime: setCustomObjectFormatterEnabled",
    ),
    (
        "the user decides about certificate errors",
        "use Security.setIgnoreCertificateErrors in a browser without a kept profile",
        "Security: handleCertificateError setOverrideCertificateErrors",
    ),
)

# Refused for tools; for its clients the relay replies itself: (why, instead, methods).
_RELAY_HANDLED: Final = (
    (
        "it reaches beyond this tab",
        "use open, close, tabs and navigate",
        """
        Browser: close getWindowBounds getWindowForTarget setContentsSize setWindowBounds
        Target: activateTarget attachToBrowserTarget attachToTarget closeTarget
            createBrowserContext createTarget detachFromTarget disposeBrowserContext
            getBrowserContexts getDevToolsTarget getTargetInfo getTargets setAutoAttach
            setDiscoverTargets
        """,
    ),
    (
        "it reaches beyond this tab",
        "let the user decide",
        "Browser: grantPermissions resetPermissions setPermission",
    ),
    (
        "downloads go to the folder of the settings",
        "use downloads",
        "Browser: cancelDownload setDownloadBehavior Page: setDownloadBehavior",
    ),
)

# Refused for all: (why, instead, methods).
_REFUSED: Final = (
    (
        "the browser is shared with others",
        "close your own tabs",
        "Browser: crash crashGpuProcess",
    ),
    (
        "the browser is shared with others",
        "use commands of the tab",
        """
        Browser: addMockCamera executeBrowserCommand getGlobalPrivacyControl setDockTile
            setGlobalPrivacyControl
        Cast: disable enable setSinkToUse startDesktopMirroring startTabMirroring stopCasting
        HeadlessExperimental: beginFrame disable enable
        Memory: forciblyPurgeJavaScriptMemory getBrowserSamplingProfile
            getDOMCountersForLeakDetection prepareForLeakDetection
            setPressureNotificationsSuppressed simulatePressureNotification
        """,
    ),
    (
        "the browser is shared with others",
        "launch a browser for it",
        """
        Browser: addPrivacySandboxEnrollmentOverride
        Extensions: clearStorageItems getExtensions getStorageItems loadUnpacked
            removeStorageItems setStorageItems triggerAction uninstall
        PWA: changeAppUserSettings getOsAppState install launch launchFilesInApp
            openCurrentPageInApp uninstall
        """,
    ),
    (
        "it exposes the machine and the tabs of others",
        "use Browser.getVersion",
        """
        Browser: getBrowserCommandLine getHistogram getHistograms
        SystemInfo: getFeatureState getInfo getProcessInfo
        """,
    ),
    (
        "a trace contains the tabs of others",
        "trace a browser of your own; or use Profiler and Performance on the page",
        """
        Tracing: end getCategories getTrackEventDescriptor recordClockSyncMarker
            requestMemoryDump start
        """,
    ),
    (
        "it opens and closes ports of this machine",
        "open the port yourself",
        "Tethering: bind unbind",
    ),
    (
        "it would give a page control of the whole browser",
        "use Runtime.addBinding",
        "Target: exposeDevToolsProtocol",
    ),
    (
        "only flat sessions are relayed",
        "attach with flatten: true and give the sessionId",
        "Target: sendMessageToTarget",
    ),
    (
        "it would reach targets that are not the client's",
        "use Target.setAutoAttach",
        "Target: autoAttachRelated",
    ),
    (
        "it would reach targets that are not the client's",
        "connect to the other browser yourself",
        "Target: setRemoteLocations",
    ),
    (
        "no one can see DevTools there",
        "open the tab in a browser of your own",
        "Target: openDevTools",
    ),
    ("it exposes file paths of this machine", "use the file's name", "DOM: getFileInfo"),
    (
        "it reads blobs of any page",
        "use fetch in the page",
        "IO: resolveBlob",
    ),
    (
        "it blocks the input of the user, too",
        "leave input on",
        "Input: setIgnoreInputEvents",
    ),
    (
        "the browser would trust compiled data that it did not make",
        "load the script or the page itself",
        """
        LayerTree: loadSnapshot
        Page: addCompilationCache produceCompilationCache
        """,
    ),
    (
        "it changes data or decisions of the browser beyond this page",
        "use cookies and storage of the page",
        """
        DigitalCredentials: setVirtualWalletBehavior
        Network: configureDurableMessages deleteDeviceBoundSession enableDeviceBoundSessions
            setCookieControls
        Page: getSiblingSubApps getSubApps setRPHRegistrationMode setSPCTransactionMode
        SmartCardEmulation: disable enable reportBeginTransactionResult reportConnectResult
            reportDataResult reportError reportEstablishContextResult
            reportGetStatusChangeResult reportListReadersResult reportPlainResult
            reportReleaseContextResult reportStatusResult
        Storage: clearPrivateVerificationTokens deletePrivateVerificationToken
            getPrivateVerificationTokens getPrivateVerificationTokensIssuerConfigs
            runBounceTrackingMitigations setPrivateVerificationTokensTracking
        """,
    ),
    (
        "it stops the page, which blocks every tool",
        "let the page run",
        "Page: waitForDebugger",
    ),
    (
        "it records more than this page",
        "use a screenshot",
        "Page: startScreenRecording stopScreenRecording",
    ),
)

# Affects every tab of the browser.
_WHOLE_BROWSER = """
BluetoothEmulation: addCharacteristic addDescriptor addService disable enable removeCharacteristic
    removeDescriptor removeService setSimulatedCentralState simulateAdvertisement
    simulateCharacteristicOperationResponse simulateDescriptorOperationResponse
    simulateGATTDisconnection simulateGATTOperationResponse simulatePreconnectedPeripheral
Emulation: addScreen removeScreen setPrimaryScreen updateScreen
"""


def _refused(why: str, instead: str) -> Decision:
    return Decision(Check.REFUSED, why=why, instead=instead)


_DRAG = Decision(
    Check.DRAG,
    fields=("type", "x", "y", "data", "modifiers"),
    why="drag data may not contain files of this machine",
    instead="use upload",
)
_NO_FIELDS = Decision(
    Check.FIELDS, why="the supervisor relies on its own options", instead="leave them out"
)

# Special cases: (decision for tools, decision for relay clients).
_SPECIAL_CASES: Final[Mapping[str, tuple[Decision, Decision]]] = {
    "DOM.enable": (_NO_FIELDS, ALLOWED),
    "DOM.setFileInputFiles": (
        _refused("it reads files of this machine", "use upload"),
        Decision(Check.FILES, fields=("files",)),
    ),
    "Fetch.continueRequest": (
        _refused("the URL policy and routes use it in every tab", "use route"),
        Decision(Check.URL, fields=("url",)),
    ),
    "IO.close": (Decision(Check.STREAM), Decision(Check.STREAM)),
    "IO.read": (Decision(Check.STREAM), Decision(Check.STREAM)),
    "Input.dispatchDragEvent": (_DRAG, _DRAG),
    "Network.enable": (_NO_FIELDS, ALLOWED),
    "Network.loadNetworkResource": (
        _refused("it reads URLs that the page may not", "use fetch in the page"),
        Decision(Check.URL, fields=("url",)),
    ),
    "Network.setBypassServiceWorker": (
        Decision(
            Check.VALUES,
            fields=("bypass",),
            values=(True,),
            why="routes do not see requests that a service worker handles",
            instead="leave it on",
        ),
        ALLOWED,
    ),
    "Page.createIsolatedWorld": (
        Decision(
            Check.VALUES,
            fields=("grantUniveralAccess", "grantUniversalAccess"),
            values=(False,),
            why="the world could read pages of other sites",
            instead="leave it out",
        ),
        ALLOWED,
    ),
    "Page.enable": (_NO_FIELDS, ALLOWED),
    "Page.navigate": (
        Decision(Check.URL, fields=("url",)),
        Decision(Check.URL, fields=("url",)),
    ),
    "Page.navigateToHistoryEntry": (
        _refused("the URL of the history entry is unknown", "use back, forward or navigate"),
        Decision(Check.HISTORY),
    ),
    "Page.removeScriptToEvaluateOnNewDocument": (
        Decision(
            Check.CREATED_BY_SENDER,
            fields=("identifier",),
            values=("script",),
            why="it is not a script that you added to this tab",
            instead="use an identifier that Page.addScriptToEvaluateOnNewDocument returned to you",
        ),
        ALLOWED,
    ),
    "Page.removeScriptToEvaluateOnLoad": (
        Decision(
            Check.CREATED_BY_SENDER,
            fields=("identifier",),
            values=("script",),
            why="it is not a script that you added to this tab",
            instead="use an identifier that Page.addScriptToEvaluateOnLoad returned to you",
        ),
        ALLOWED,
    ),
    "Page.setLifecycleEventsEnabled": (
        Decision(
            Check.VALUES,
            fields=("enabled",),
            values=(True,),
            why="the supervisor relies on these events in every tab",
            instead="leave them on",
        ),
        ALLOWED,
    ),
    "Runtime.removeBinding": (
        Decision(
            Check.CREATED_BY_SENDER,
            fields=("name",),
            values=("binding",),
            why="it is not a binding that you added to this tab",
            instead="use a name that you gave to Runtime.addBinding",
        ),
        ALLOWED,
    ),
    "Security.setIgnoreCertificateErrors": (
        Decision(
            Check.OWN_JAR,
            why="in a profile that others use as well, the user decides about certificates",
            instead="work in a browser without a kept profile",
        ),
        ALLOWED,
    ),
    "Storage.getCookies": (ALLOWED, Decision(Check.HANDLED)),
    "Storage.setCookies": (ALLOWED, Decision(Check.HANDLED)),
}


def _column(relay: bool) -> dict[str, Decision]:
    table = dict.fromkeys(_methods(_CONFINED), ALLOWED)
    table |= dict.fromkeys(_methods(_OWN_JAR), Decision(Check.OWN_JAR))
    affects_others = _refused("it would affect the tabs of others", "use a browser of your own")
    table |= dict.fromkeys(
        _methods(_WHOLE_BROWSER), Decision(Check.ALONE) if relay else affects_others
    )
    for groups, for_relay in (
        (_RELAY_ONLY, ALLOWED),
        (_RELAY_HANDLED, Decision(Check.HANDLED)),
        (_REFUSED, None),
    ):
        for why, instead, methods in groups:
            found = _refused(why, instead) if for_relay is None or not relay else for_relay
            table |= dict.fromkeys(_methods(methods), found)
    table |= {method: pair[relay] for method, pair in _SPECIAL_CASES.items()}
    return table


# What tools and code in runs may send to a tab's page session.
TOOL: Final[Mapping[str, Decision]] = _column(relay=False)
# What a relay client may send on a session of a page, frame or worker.
RELAY: Final[Mapping[str, Decision]] = _column(relay=True)
