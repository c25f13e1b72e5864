"""Typed builders for the CDP commands and events Pilothouse uses. Generated; do not edit.

By scripts/generate_protocol.py from the schema of Chrome/156.0.8078.79, protocol 1.3,
restricted to scripts/protocol_allow.txt. The types exist for the checker alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.cdp.message import Command, EventName

__all__ = [
    "Accessibility",
    "Browser",
    "DOM",
    "DOMDebugger",
    "Debugger",
    "Emulation",
    "FedCm",
    "Fetch",
    "IO",
    "Input",
    "Inspector",
    "Log",
    "Network",
    "Page",
    "Performance",
    "Runtime",
    "Security",
    "Storage",
    "Target",
]

if TYPE_CHECKING:
    from typing import NotRequired, TypedDict

    class Empty(TypedDict):
        pass

    class AccessibilityAXNode(TypedDict):
        nodeId: str
        ignored: bool
        ignoredReasons: NotRequired[list[AccessibilityAXProperty]]
        role: NotRequired[AccessibilityAXValue]
        chromeRole: NotRequired[AccessibilityAXValue]
        name: NotRequired[AccessibilityAXValue]
        description: NotRequired[AccessibilityAXValue]
        value: NotRequired[AccessibilityAXValue]
        properties: NotRequired[list[AccessibilityAXProperty]]
        parentId: NotRequired[str]
        childIds: NotRequired[list[str]]
        backendDOMNodeId: NotRequired[int]
        frameId: NotRequired[str]

    class AccessibilityAXProperty(TypedDict):
        name: str
        value: AccessibilityAXValue

    class AccessibilityAXRelatedNode(TypedDict):
        backendDOMNodeId: int
        idref: NotRequired[str]
        text: NotRequired[str]

    class AccessibilityAXValue(TypedDict):
        type: str
        value: NotRequired[Any]
        relatedNodes: NotRequired[list[AccessibilityAXRelatedNode]]
        sources: NotRequired[list[AccessibilityAXValueSource]]

    class AccessibilityAXValueSource(TypedDict):
        type: str
        value: NotRequired[AccessibilityAXValue]
        attribute: NotRequired[str]
        attributeValue: NotRequired[AccessibilityAXValue]
        superseded: NotRequired[bool]
        nativeSource: NotRequired[str]
        nativeSourceValue: NotRequired[AccessibilityAXValue]
        invalid: NotRequired[bool]
        invalidReason: NotRequired[str]

    class AccessibilityGetFullAXTreeResult(TypedDict):
        nodes: list[AccessibilityAXNode]

    class AccessibilityGetPartialAXTreeResult(TypedDict):
        nodes: list[AccessibilityAXNode]

    class AccessibilityGetRootAXNodeResult(TypedDict):
        node: AccessibilityAXNode

    class AccessibilityQueryAXTreeResult(TypedDict):
        nodes: list[AccessibilityAXNode]

    class BrowserBounds(TypedDict):
        left: NotRequired[int]
        top: NotRequired[int]
        width: NotRequired[int]
        height: NotRequired[int]
        windowState: NotRequired[str]

    class BrowserDownloadProgressEvent(TypedDict):
        guid: str
        totalBytes: float
        receivedBytes: float
        state: str
        filePath: NotRequired[str]

    class BrowserDownloadWillBeginEvent(TypedDict):
        frameId: str
        guid: str
        url: str
        suggestedFilename: str

    class BrowserGetVersionResult(TypedDict):
        protocolVersion: str
        product: str
        revision: str
        userAgent: str
        jsVersion: str

    class BrowserGetWindowForTargetResult(TypedDict):
        windowId: int
        bounds: BrowserBounds

    class BrowserPermissionDescriptor(TypedDict):
        name: str
        sysex: NotRequired[bool]
        userVisibleOnly: NotRequired[bool]
        allowWithoutSanitization: NotRequired[bool]
        allowWithoutGesture: NotRequired[bool]
        panTiltZoom: NotRequired[bool]

    class DOMBackendNode(TypedDict):
        nodeType: int
        nodeName: str
        backendNodeId: int

    class DOMBoxModel(TypedDict):
        content: list[float]
        padding: list[float]
        border: list[float]
        margin: list[float]
        width: int
        height: int
        shapeOutside: NotRequired[DOMShapeOutsideInfo]

    class DOMDebuggerEventListener(TypedDict):
        type: str
        useCapture: bool
        passive: bool
        once: bool
        scriptId: str
        lineNumber: int
        columnNumber: int
        handler: NotRequired[RuntimeRemoteObject]
        originalHandler: NotRequired[RuntimeRemoteObject]
        backendNodeId: NotRequired[int]

    class DOMDebuggerGetEventListenersResult(TypedDict):
        listeners: list[DOMDebuggerEventListener]

    class DOMDescribeNodeResult(TypedDict):
        node: DOMNode

    class DOMGetBoxModelResult(TypedDict):
        model: DOMBoxModel

    class DOMGetContentQuadsResult(TypedDict):
        quads: list[list[float]]

    class DOMGetDocumentResult(TypedDict):
        root: DOMNode

    class DOMGetFrameOwnerResult(TypedDict):
        backendNodeId: int
        nodeId: NotRequired[int]

    class DOMGetNodeForLocationResult(TypedDict):
        backendNodeId: int
        frameId: str
        nodeId: NotRequired[int]

    class DOMNode(TypedDict):
        nodeId: int
        parentId: NotRequired[int]
        backendNodeId: int
        nodeType: int
        nodeName: str
        localName: str
        nodeValue: str
        childNodeCount: NotRequired[int]
        children: NotRequired[list[DOMNode]]
        attributes: NotRequired[list[str]]
        documentURL: NotRequired[str]
        baseURL: NotRequired[str]
        publicId: NotRequired[str]
        systemId: NotRequired[str]
        internalSubset: NotRequired[str]
        xmlVersion: NotRequired[str]
        name: NotRequired[str]
        value: NotRequired[str]
        pseudoType: NotRequired[str]
        pseudoIdentifier: NotRequired[str]
        shadowRootType: NotRequired[str]
        frameId: NotRequired[str]
        contentDocument: NotRequired[DOMNode]
        shadowRoots: NotRequired[list[DOMNode]]
        templateContent: NotRequired[DOMNode]
        pseudoElements: NotRequired[list[DOMNode]]
        importedDocument: NotRequired[DOMNode]
        distributedNodes: NotRequired[list[DOMBackendNode]]
        isSVG: NotRequired[bool]
        compatibilityMode: NotRequired[str]
        assignedSlot: NotRequired[DOMBackendNode]
        isScrollable: NotRequired[bool]
        affectedByStartingStyles: NotRequired[bool]
        adoptedStyleSheets: NotRequired[list[str]]
        adProvenance: NotRequired[NetworkAdProvenance]

    class DOMQuerySelectorResult(TypedDict):
        nodeId: int

    class DOMRect(TypedDict):
        x: float
        y: float
        width: float
        height: float

    class DOMRequestNodeResult(TypedDict):
        nodeId: int

    class DOMResolveNodeResult(TypedDict):
        object: RuntimeRemoteObject

    class DOMShapeOutsideInfo(TypedDict):
        bounds: list[float]
        shape: list[Any]
        marginShape: list[Any]

    class DebuggerCallFrame(TypedDict):
        callFrameId: str
        functionName: str
        functionLocation: NotRequired[DebuggerLocation]
        location: DebuggerLocation
        url: str
        scopeChain: list[DebuggerScope]
        this: RuntimeRemoteObject
        returnValue: NotRequired[RuntimeRemoteObject]
        canBeRestarted: NotRequired[bool]

    class DebuggerEnableResult(TypedDict):
        debuggerId: str

    class DebuggerEvaluateOnCallFrameResult(TypedDict):
        result: RuntimeRemoteObject
        exceptionDetails: NotRequired[RuntimeExceptionDetails]

    class DebuggerLocation(TypedDict):
        scriptId: str
        lineNumber: int
        columnNumber: NotRequired[int]

    class DebuggerPausedEvent(TypedDict):
        callFrames: list[DebuggerCallFrame]
        reason: str
        data: NotRequired[dict[str, Any]]
        hitBreakpoints: NotRequired[list[str]]
        asyncStackTrace: NotRequired[RuntimeStackTrace]
        asyncStackTraceId: NotRequired[RuntimeStackTraceId]
        asyncCallStackTraceId: NotRequired[RuntimeStackTraceId]

    class DebuggerScope(TypedDict):
        type: str
        object: RuntimeRemoteObject
        name: NotRequired[str]
        startLocation: NotRequired[DebuggerLocation]
        endLocation: NotRequired[DebuggerLocation]
        empty: NotRequired[bool]

    class EmulationDevicePosture(TypedDict):
        type: str

    class EmulationDisplayFeature(TypedDict):
        orientation: str
        offset: int
        maskLength: int

    class EmulationMediaFeature(TypedDict):
        name: str
        value: str

    class EmulationScreenOrientation(TypedDict):
        type: str
        angle: int

    class EmulationUserAgentBrandVersion(TypedDict):
        brand: str
        version: str

    class EmulationUserAgentMetadata(TypedDict):
        brands: NotRequired[list[EmulationUserAgentBrandVersion]]
        fullVersionList: NotRequired[list[EmulationUserAgentBrandVersion]]
        fullVersion: NotRequired[str]
        platform: str
        platformVersion: str
        architecture: str
        model: str
        mobile: bool
        bitness: NotRequired[str]
        wow64: NotRequired[bool]
        formFactors: NotRequired[list[str]]

    class FedCmAccount(TypedDict):
        accountId: str
        email: str
        name: str
        givenName: str
        pictureUrl: str
        idpConfigUrl: str
        idpLoginUrl: str
        loginState: str
        termsOfServiceUrl: NotRequired[str]
        privacyPolicyUrl: NotRequired[str]

    class FedCmDialogClosedEvent(TypedDict):
        dialogId: str

    class FedCmDialogShownEvent(TypedDict):
        dialogId: str
        dialogType: str
        accounts: list[FedCmAccount]
        title: str
        subtitle: NotRequired[str]

    class FetchAuthChallenge(TypedDict):
        source: NotRequired[str]
        origin: str
        scheme: str
        realm: str

    class FetchAuthChallengeResponse(TypedDict):
        response: str
        username: NotRequired[str]
        password: NotRequired[str]

    class FetchAuthRequiredEvent(TypedDict):
        requestId: str
        request: NetworkRequest
        frameId: str
        resourceType: str
        authChallenge: FetchAuthChallenge

    class FetchGetResponseBodyResult(TypedDict):
        body: str
        base64Encoded: bool

    class FetchHeaderEntry(TypedDict):
        name: str
        value: str

    class FetchRequestPattern(TypedDict):
        urlPattern: NotRequired[str]
        resourceType: NotRequired[str]
        requestStage: NotRequired[str]

    class FetchRequestPausedEvent(TypedDict):
        requestId: str
        request: NetworkRequest
        frameId: str
        resourceType: str
        responseErrorReason: NotRequired[str]
        responseStatusCode: NotRequired[int]
        responseStatusText: NotRequired[str]
        responseHeaders: NotRequired[list[FetchHeaderEntry]]
        networkId: NotRequired[str]
        redirectedRequestId: NotRequired[str]

    class FetchTakeResponseBodyAsStreamResult(TypedDict):
        stream: str

    class IOReadResult(TypedDict):
        base64Encoded: NotRequired[bool]
        data: str
        eof: bool

    class InputDragData(TypedDict):
        items: list[InputDragDataItem]
        files: NotRequired[list[str]]
        dragOperationsMask: int

    class InputDragDataItem(TypedDict):
        mimeType: str
        data: str
        title: NotRequired[str]
        baseURL: NotRequired[str]

    class InputDragInterceptedEvent(TypedDict):
        data: InputDragData

    class InputTouchPoint(TypedDict):
        x: float
        y: float
        radiusX: NotRequired[float]
        radiusY: NotRequired[float]
        rotationAngle: NotRequired[float]
        force: NotRequired[float]
        tangentialPressure: NotRequired[float]
        tiltX: NotRequired[float]
        tiltY: NotRequired[float]
        twist: NotRequired[int]
        id: NotRequired[float]

    class InspectorDetachedEvent(TypedDict):
        reason: str

    class LogEntryAddedEvent(TypedDict):
        entry: LogLogEntry

    class LogLogEntry(TypedDict):
        source: str
        level: str
        text: str
        category: NotRequired[str]
        timestamp: float
        url: NotRequired[str]
        lineNumber: NotRequired[int]
        stackTrace: NotRequired[RuntimeStackTrace]
        networkRequestId: NotRequired[str]
        workerId: NotRequired[str]
        args: NotRequired[list[RuntimeRemoteObject]]

    class NetworkAdAncestry(TypedDict):
        ancestryChain: list[NetworkAdScriptIdentifier]
        rootScriptFilterlistRule: NotRequired[str]

    class NetworkAdProvenance(TypedDict):
        filterlistRule: NotRequired[str]
        adScriptAncestry: NotRequired[NetworkAdAncestry]

    class NetworkAdScriptIdentifier(TypedDict):
        scriptId: str
        debuggerId: str
        name: str

    class NetworkAssociatedCookie(TypedDict):
        cookie: NetworkCookie
        blockedReasons: list[str]
        exemptionReason: NotRequired[str]

    class NetworkBlockedSetCookieWithReason(TypedDict):
        blockedReasons: list[str]
        cookieLine: str
        cookie: NotRequired[NetworkCookie]

    class NetworkClientSecurityState(TypedDict):
        initiatorIsSecureContext: bool
        initiatorIPAddressSpace: str
        localNetworkAccessRequestPolicy: str

    class NetworkConnectTiming(TypedDict):
        requestTime: float

    class NetworkCookie(TypedDict):
        name: str
        value: str
        domain: str
        path: str
        expires: float
        size: int
        httpOnly: bool
        secure: bool
        session: bool
        sameSite: NotRequired[str]
        priority: str
        sourceScheme: str
        sourcePort: int
        partitionKey: NotRequired[NetworkCookiePartitionKey]
        partitionKeyOpaque: NotRequired[bool]

    class NetworkCookieParam(TypedDict):
        name: str
        value: str
        url: NotRequired[str]
        domain: NotRequired[str]
        path: NotRequired[str]
        secure: NotRequired[bool]
        httpOnly: NotRequired[bool]
        sameSite: NotRequired[str]
        expires: NotRequired[float]
        priority: NotRequired[str]
        sourceScheme: NotRequired[str]
        sourcePort: NotRequired[int]
        partitionKey: NotRequired[NetworkCookiePartitionKey]

    class NetworkCookiePartitionKey(TypedDict):
        topLevelSite: str
        hasCrossSiteAncestor: bool

    class NetworkCorsErrorStatus(TypedDict):
        corsError: str
        failedParameter: str

    class NetworkDataReceivedEvent(TypedDict):
        requestId: str
        timestamp: float
        dataLength: int
        encodedDataLength: int
        data: NotRequired[str]

    class NetworkDeviceBoundSessionKey(TypedDict):
        site: str
        id: str

    class NetworkDeviceBoundSessionWithUsage(TypedDict):
        sessionKey: NetworkDeviceBoundSessionKey
        usage: str

    class NetworkExemptedSetCookieWithReason(TypedDict):
        exemptionReason: str
        cookieLine: str
        cookie: NetworkCookie

    class NetworkGetCookiesResult(TypedDict):
        cookies: list[NetworkCookie]

    class NetworkGetRequestPostDataResult(TypedDict):
        postData: str
        base64Encoded: bool

    class NetworkGetResponseBodyResult(TypedDict):
        body: str
        base64Encoded: bool

    class NetworkInitiator(TypedDict):
        type: str
        stack: NotRequired[RuntimeStackTrace]
        url: NotRequired[str]
        lineNumber: NotRequired[float]
        columnNumber: NotRequired[float]
        requestId: NotRequired[str]

    class NetworkLoadingFailedEvent(TypedDict):
        requestId: str
        timestamp: float
        type: str
        errorText: str
        canceled: NotRequired[bool]
        blockedReason: NotRequired[str]
        corsErrorStatus: NotRequired[NetworkCorsErrorStatus]

    class NetworkLoadingFinishedEvent(TypedDict):
        requestId: str
        timestamp: float
        encodedDataLength: float

    class NetworkPostDataEntry(TypedDict):
        bytes: NotRequired[str]

    class NetworkRequest(TypedDict):
        url: str
        urlFragment: NotRequired[str]
        method: str
        headers: dict[str, Any]
        postData: NotRequired[str]
        hasPostData: NotRequired[bool]
        postDataEntries: NotRequired[list[NetworkPostDataEntry]]
        mixedContentType: NotRequired[str]
        initialPriority: str
        referrerPolicy: str
        isLinkPreload: NotRequired[bool]
        trustTokenParams: NotRequired[NetworkTrustTokenParams]
        isSameSite: NotRequired[bool]
        isAdRelated: NotRequired[bool]

    class NetworkRequestServedFromCacheEvent(TypedDict):
        requestId: str

    class NetworkRequestWillBeSentEvent(TypedDict):
        requestId: str
        loaderId: str
        documentURL: str
        request: NetworkRequest
        timestamp: float
        wallTime: float
        initiator: NetworkInitiator
        redirectHasExtraInfo: bool
        redirectResponse: NotRequired[NetworkResponse]
        type: NotRequired[str]
        frameId: NotRequired[str]
        hasUserGesture: NotRequired[bool]
        renderBlockingBehavior: NotRequired[str]

    class NetworkRequestWillBeSentExtraInfoEvent(TypedDict):
        requestId: str
        associatedCookies: list[NetworkAssociatedCookie]
        headers: dict[str, Any]
        connectTiming: NetworkConnectTiming
        deviceBoundSessionUsages: NotRequired[list[NetworkDeviceBoundSessionWithUsage]]
        clientSecurityState: NotRequired[NetworkClientSecurityState]
        siteHasCookieInOtherPartition: NotRequired[bool]
        appliedNetworkConditionsId: NotRequired[str]

    class NetworkResourceTiming(TypedDict):
        requestTime: float
        proxyStart: float
        proxyEnd: float
        dnsStart: float
        dnsEnd: float
        connectStart: float
        connectEnd: float
        sslStart: float
        sslEnd: float
        workerStart: float
        workerReady: float
        workerFetchStart: float
        workerRespondWithSettled: float
        workerRouterEvaluationStart: NotRequired[float]
        workerCacheLookupStart: NotRequired[float]
        sendStart: float
        sendEnd: float
        pushStart: float
        pushEnd: float
        receiveHeadersStart: float
        receiveHeadersEnd: float

    class NetworkResponse(TypedDict):
        url: str
        status: int
        statusText: str
        headers: dict[str, Any]
        headersText: NotRequired[str]
        mimeType: str
        charset: str
        requestHeaders: NotRequired[dict[str, Any]]
        requestHeadersText: NotRequired[str]
        connectionReused: bool
        connectionId: float
        remoteIPAddress: NotRequired[str]
        remotePort: NotRequired[int]
        fromDiskCache: NotRequired[bool]
        fromServiceWorker: NotRequired[bool]
        fromPrefetchCache: NotRequired[bool]
        fromEarlyHints: NotRequired[bool]
        serviceWorkerRouterInfo: NotRequired[NetworkServiceWorkerRouterInfo]
        encodedDataLength: float
        timing: NotRequired[NetworkResourceTiming]
        serviceWorkerResponseSource: NotRequired[str]
        responseTime: NotRequired[float]
        cacheStorageCacheName: NotRequired[str]
        protocol: NotRequired[str]
        alternateProtocolUsage: NotRequired[str]
        securityState: str
        securityDetails: NotRequired[NetworkSecurityDetails]

    class NetworkResponseReceivedEvent(TypedDict):
        requestId: str
        loaderId: str
        timestamp: float
        type: str
        response: NetworkResponse
        hasExtraInfo: bool
        frameId: NotRequired[str]

    class NetworkResponseReceivedExtraInfoEvent(TypedDict):
        requestId: str
        blockedCookies: list[NetworkBlockedSetCookieWithReason]
        headers: dict[str, Any]
        resourceIPAddressSpace: str
        statusCode: int
        headersText: NotRequired[str]
        cookiePartitionKey: NotRequired[NetworkCookiePartitionKey]
        cookiePartitionKeyOpaque: NotRequired[bool]
        exemptedCookies: NotRequired[list[NetworkExemptedSetCookieWithReason]]

    class NetworkSecurityDetails(TypedDict):
        protocol: str
        keyExchange: str
        keyExchangeGroup: NotRequired[str]
        cipher: str
        mac: NotRequired[str]
        certificateId: int
        subjectName: str
        sanList: list[str]
        issuer: str
        validFrom: float
        validTo: float
        signedCertificateTimestampList: list[NetworkSignedCertificateTimestamp]
        certificateTransparencyCompliance: str
        serverSignatureAlgorithm: NotRequired[int]
        encryptedClientHello: bool

    class NetworkServiceWorkerRouterInfo(TypedDict):
        ruleIdMatched: NotRequired[int]
        matchedSourceType: NotRequired[str]
        actualSourceType: NotRequired[str]

    class NetworkSetCookieResult(TypedDict):
        success: bool

    class NetworkSignedCertificateTimestamp(TypedDict):
        status: str
        origin: str
        logDescription: str
        logId: str
        timestamp: float
        hashAlgorithm: str
        signatureAlgorithm: str
        signatureData: str

    class NetworkTrustTokenParams(TypedDict):
        operation: str
        refreshPolicy: str
        issuers: NotRequired[list[str]]

    class NetworkWebSocketClosedEvent(TypedDict):
        requestId: str
        timestamp: float

    class NetworkWebSocketCreatedEvent(TypedDict):
        requestId: str
        url: str
        initiator: NotRequired[NetworkInitiator]

    class NetworkWebSocketFrameErrorEvent(TypedDict):
        requestId: str
        timestamp: float
        errorMessage: str

    class NetworkWebSocketHandshakeResponseReceivedEvent(TypedDict):
        requestId: str
        timestamp: float
        response: NetworkWebSocketResponse

    class NetworkWebSocketResponse(TypedDict):
        status: int
        statusText: str
        headers: dict[str, Any]
        headersText: NotRequired[str]
        requestHeaders: NotRequired[dict[str, Any]]
        requestHeadersText: NotRequired[str]

    class PageAdFrameStatus(TypedDict):
        adFrameType: str
        explanations: NotRequired[list[str]]

    class PageAddScriptToEvaluateOnNewDocumentResult(TypedDict):
        identifier: str

    class PageCaptureScreenshotResult(TypedDict):
        data: str

    class PageCreateIsolatedWorldResult(TypedDict):
        executionContextId: int

    class PageDocumentOpenedEvent(TypedDict):
        frame: PageFrame

    class PageDomContentEventFiredEvent(TypedDict):
        timestamp: float

    class PageDownloadProgressEvent(TypedDict):
        guid: str
        totalBytes: float
        receivedBytes: float
        state: str

    class PageDownloadWillBeginEvent(TypedDict):
        frameId: str
        guid: str
        url: str
        suggestedFilename: str

    class PageFileChooserOpenedEvent(TypedDict):
        frameId: str
        mode: str
        backendNodeId: NotRequired[int]

    class PageFrame(TypedDict):
        id: str
        parentId: NotRequired[str]
        loaderId: str
        name: NotRequired[str]
        url: str
        urlFragment: NotRequired[str]
        domainAndRegistry: str
        securityOrigin: str
        securityOriginDetails: NotRequired[PageSecurityOriginDetails]
        mimeType: str
        unreachableUrl: NotRequired[str]
        adFrameStatus: NotRequired[PageAdFrameStatus]
        secureContextType: str
        crossOriginIsolatedContextType: str
        gatedAPIFeatures: list[str]

    class PageFrameAttachedEvent(TypedDict):
        frameId: str
        parentFrameId: str
        stack: NotRequired[RuntimeStackTrace]

    class PageFrameDetachedEvent(TypedDict):
        frameId: str
        reason: str

    class PageFrameNavigatedEvent(TypedDict):
        frame: PageFrame
        type: str

    class PageFrameRequestedNavigationEvent(TypedDict):
        frameId: str
        reason: str
        url: str
        disposition: str

    class PageFrameStartedLoadingEvent(TypedDict):
        frameId: str

    class PageFrameStartedNavigatingEvent(TypedDict):
        frameId: str
        url: str
        loaderId: str
        navigationType: str

    class PageFrameStoppedLoadingEvent(TypedDict):
        frameId: str

    class PageFrameTree(TypedDict):
        frame: PageFrame
        childFrames: NotRequired[list[PageFrameTree]]

    class PageGetFrameTreeResult(TypedDict):
        frameTree: PageFrameTree

    class PageGetLayoutMetricsResult(TypedDict):
        layoutViewport: PageLayoutViewport
        visualViewport: PageVisualViewport
        contentSize: DOMRect
        cssLayoutViewport: PageLayoutViewport
        cssVisualViewport: PageVisualViewport
        cssContentSize: DOMRect

    class PageGetNavigationHistoryResult(TypedDict):
        currentIndex: int
        entries: list[PageNavigationEntry]

    class PageJavascriptDialogClosedEvent(TypedDict):
        frameId: str
        result: bool
        userInput: str

    class PageJavascriptDialogOpeningEvent(TypedDict):
        url: str
        frameId: str
        message: str
        type: str
        hasBrowserHandler: bool
        defaultPrompt: NotRequired[str]

    class PageLayoutViewport(TypedDict):
        pageX: int
        pageY: int
        clientWidth: int
        clientHeight: int

    class PageLifecycleEventEvent(TypedDict):
        frameId: str
        loaderId: str
        name: str
        timestamp: float

    class PageLoadEventFiredEvent(TypedDict):
        timestamp: float

    class PageNavigateResult(TypedDict):
        frameId: str
        loaderId: NotRequired[str]
        errorText: NotRequired[str]
        isDownload: NotRequired[bool]

    class PageNavigatedWithinDocumentEvent(TypedDict):
        frameId: str
        url: str
        navigationType: str

    class PageNavigationEntry(TypedDict):
        id: int
        url: str
        userTypedURL: str
        title: str
        transitionType: str

    class PagePrintToPDFResult(TypedDict):
        data: str
        stream: NotRequired[str]

    class PageSecurityOriginDetails(TypedDict):
        isLocalhost: bool

    class PageViewport(TypedDict):
        x: float
        y: float
        width: float
        height: float
        scale: float

    class PageVisualViewport(TypedDict):
        offsetX: float
        offsetY: float
        pageX: float
        pageY: float
        clientWidth: float
        clientHeight: float
        scale: float
        zoom: NotRequired[float]

    class PageWindowOpenEvent(TypedDict):
        url: str
        windowName: str
        windowFeatures: list[str]
        userGesture: bool

    class PerformanceGetMetricsResult(TypedDict):
        metrics: list[PerformanceMetric]

    class PerformanceMetric(TypedDict):
        name: str
        value: float

    class PerformanceMetricsEvent(TypedDict):
        metrics: list[PerformanceMetric]
        title: str

    class RuntimeBindingCalledEvent(TypedDict):
        name: str
        payload: str
        executionContextId: int

    class RuntimeCallArgument(TypedDict):
        value: NotRequired[Any]
        unserializableValue: NotRequired[str]
        objectId: NotRequired[str]

    class RuntimeCallFrame(TypedDict):
        functionName: str
        scriptId: str
        url: str
        lineNumber: int
        columnNumber: int

    class RuntimeCallFunctionOnResult(TypedDict):
        result: RuntimeRemoteObject
        exceptionDetails: NotRequired[RuntimeExceptionDetails]

    class RuntimeConsoleAPICalledEvent(TypedDict):
        type: str
        args: list[RuntimeRemoteObject]
        executionContextId: int
        timestamp: float
        stackTrace: NotRequired[RuntimeStackTrace]
        context: NotRequired[str]

    class RuntimeCustomPreview(TypedDict):
        header: str
        bodyGetterId: NotRequired[str]

    class RuntimeDeepSerializedValue(TypedDict):
        type: str
        value: NotRequired[Any]
        objectId: NotRequired[str]
        weakLocalObjectReference: NotRequired[int]

    class RuntimeEntryPreview(TypedDict):
        key: NotRequired[RuntimeObjectPreview]
        value: RuntimeObjectPreview

    class RuntimeEvaluateResult(TypedDict):
        result: RuntimeRemoteObject
        exceptionDetails: NotRequired[RuntimeExceptionDetails]

    class RuntimeExceptionDetails(TypedDict):
        exceptionId: int
        text: str
        lineNumber: int
        columnNumber: int
        scriptId: NotRequired[str]
        url: NotRequired[str]
        stackTrace: NotRequired[RuntimeStackTrace]
        exception: NotRequired[RuntimeRemoteObject]
        executionContextId: NotRequired[int]
        exceptionMetaData: NotRequired[dict[str, Any]]

    class RuntimeExceptionRevokedEvent(TypedDict):
        reason: str
        exceptionId: int

    class RuntimeExceptionThrownEvent(TypedDict):
        timestamp: float
        exceptionDetails: RuntimeExceptionDetails

    class RuntimeExecutionContextCreatedEvent(TypedDict):
        context: RuntimeExecutionContextDescription

    class RuntimeExecutionContextDescription(TypedDict):
        id: int
        origin: str
        name: str
        uniqueId: str
        auxData: NotRequired[dict[str, Any]]

    class RuntimeExecutionContextDestroyedEvent(TypedDict):
        executionContextId: int
        executionContextUniqueId: str

    class RuntimeGetPropertiesResult(TypedDict):
        result: list[RuntimePropertyDescriptor]
        internalProperties: NotRequired[list[RuntimeInternalPropertyDescriptor]]
        privateProperties: NotRequired[list[RuntimePrivatePropertyDescriptor]]
        exceptionDetails: NotRequired[RuntimeExceptionDetails]

    class RuntimeInternalPropertyDescriptor(TypedDict):
        name: str
        value: NotRequired[RuntimeRemoteObject]

    class RuntimeObjectPreview(TypedDict):
        type: str
        subtype: NotRequired[str]
        description: NotRequired[str]
        overflow: bool
        properties: list[RuntimePropertyPreview]
        entries: NotRequired[list[RuntimeEntryPreview]]

    class RuntimePrivatePropertyDescriptor(TypedDict):
        name: str
        value: NotRequired[RuntimeRemoteObject]
        get: NotRequired[RuntimeRemoteObject]
        set: NotRequired[RuntimeRemoteObject]

    class RuntimePropertyDescriptor(TypedDict):
        name: str
        value: NotRequired[RuntimeRemoteObject]
        writable: NotRequired[bool]
        get: NotRequired[RuntimeRemoteObject]
        set: NotRequired[RuntimeRemoteObject]
        configurable: bool
        enumerable: bool
        wasThrown: NotRequired[bool]
        isOwn: NotRequired[bool]
        symbol: NotRequired[RuntimeRemoteObject]

    class RuntimePropertyPreview(TypedDict):
        name: str
        type: str
        value: NotRequired[str]
        valuePreview: NotRequired[RuntimeObjectPreview]
        subtype: NotRequired[str]

    class RuntimeRemoteObject(TypedDict):
        type: str
        subtype: NotRequired[str]
        className: NotRequired[str]
        value: NotRequired[Any]
        unserializableValue: NotRequired[str]
        description: NotRequired[str]
        deepSerializedValue: NotRequired[RuntimeDeepSerializedValue]
        objectId: NotRequired[str]
        preview: NotRequired[RuntimeObjectPreview]
        customPreview: NotRequired[RuntimeCustomPreview]

    class RuntimeSerializationOptions(TypedDict):
        serialization: str
        maxDepth: NotRequired[int]
        additionalParameters: NotRequired[dict[str, Any]]

    class RuntimeStackTrace(TypedDict):
        description: NotRequired[str]
        callFrames: list[RuntimeCallFrame]
        parent: NotRequired[RuntimeStackTrace]
        parentId: NotRequired[RuntimeStackTraceId]

    class RuntimeStackTraceId(TypedDict):
        id: str
        debuggerId: NotRequired[str]

    class StorageGetCookiesResult(TypedDict):
        cookies: list[NetworkCookie]

    class TargetAttachToBrowserTargetResult(TypedDict):
        sessionId: str

    class TargetAttachToTargetResult(TypedDict):
        sessionId: str

    class TargetAttachedToTargetEvent(TypedDict):
        sessionId: str
        targetInfo: TargetTargetInfo
        waitingForDebugger: bool

    class TargetCloseTargetResult(TypedDict):
        success: bool

    class TargetCreateBrowserContextResult(TypedDict):
        browserContextId: str

    class TargetCreateTargetResult(TypedDict):
        targetId: str

    class TargetDetachedFromTargetEvent(TypedDict):
        sessionId: str
        targetId: NotRequired[str]

    class TargetFilterEntry(TypedDict):
        exclude: NotRequired[bool]
        type: NotRequired[str]

    class TargetGetBrowserContextsResult(TypedDict):
        browserContextIds: list[str]
        defaultBrowserContextId: NotRequired[str]

    class TargetGetTargetInfoResult(TypedDict):
        targetInfo: TargetTargetInfo

    class TargetGetTargetsResult(TypedDict):
        targetInfos: list[TargetTargetInfo]

    class TargetReceivedMessageFromTargetEvent(TypedDict):
        sessionId: str
        message: str
        targetId: NotRequired[str]

    class TargetTargetCrashedEvent(TypedDict):
        targetId: str
        status: str
        errorCode: int

    class TargetTargetCreatedEvent(TypedDict):
        targetInfo: TargetTargetInfo

    class TargetTargetDestroyedEvent(TypedDict):
        targetId: str

    class TargetTargetInfo(TypedDict):
        targetId: str
        type: str
        title: str
        url: str
        attached: bool
        parentId: NotRequired[str]
        openerId: NotRequired[str]
        canAccessOpener: bool
        openerFrameId: NotRequired[str]
        parentFrameId: NotRequired[str]
        browserContextId: NotRequired[str]
        subtype: NotRequired[str]
        embedderData: NotRequired[dict[str, Any]]

    class TargetTargetInfoChangedEvent(TypedDict):
        targetInfo: TargetTargetInfo


class Accessibility:
    """Commands and events of the Accessibility domain."""

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("Accessibility.disable")

    @staticmethod
    def enable() -> Command[Empty]:
        return Command("Accessibility.enable")

    @staticmethod
    def getFullAXTree(
        *,
        depth: int | None = None,
        frameId: str | None = None,
    ) -> Command[AccessibilityGetFullAXTreeResult]:
        params: dict[str, Any] = {}
        if depth is not None:
            params["depth"] = depth
        if frameId is not None:
            params["frameId"] = frameId
        return Command("Accessibility.getFullAXTree", params)

    @staticmethod
    def getPartialAXTree(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
        fetchRelatives: bool | None = None,
    ) -> Command[AccessibilityGetPartialAXTreeResult]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        if fetchRelatives is not None:
            params["fetchRelatives"] = fetchRelatives
        return Command("Accessibility.getPartialAXTree", params)

    @staticmethod
    def getRootAXNode(*, frameId: str | None = None) -> Command[AccessibilityGetRootAXNodeResult]:
        params: dict[str, Any] = {}
        if frameId is not None:
            params["frameId"] = frameId
        return Command("Accessibility.getRootAXNode", params)

    @staticmethod
    def queryAXTree(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
        accessibleName: str | None = None,
        role: str | None = None,
    ) -> Command[AccessibilityQueryAXTreeResult]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        if accessibleName is not None:
            params["accessibleName"] = accessibleName
        if role is not None:
            params["role"] = role
        return Command("Accessibility.queryAXTree", params)


class Browser:
    """Commands and events of the Browser domain."""

    downloadProgress: EventName[BrowserDownloadProgressEvent] = EventName("Browser.downloadProgress")
    downloadWillBegin: EventName[BrowserDownloadWillBeginEvent] = EventName("Browser.downloadWillBegin")

    @staticmethod
    def close() -> Command[Empty]:
        return Command("Browser.close")

    @staticmethod
    def getVersion() -> Command[BrowserGetVersionResult]:
        return Command("Browser.getVersion")

    @staticmethod
    def getWindowForTarget(
        *,
        targetId: str | None = None,
    ) -> Command[BrowserGetWindowForTargetResult]:
        params: dict[str, Any] = {}
        if targetId is not None:
            params["targetId"] = targetId
        return Command("Browser.getWindowForTarget", params)

    @staticmethod
    def grantPermissions(
        *,
        permissions: list[str],
        origin: str | None = None,
        browserContextId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"permissions": permissions}
        if origin is not None:
            params["origin"] = origin
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        return Command("Browser.grantPermissions", params)

    @staticmethod
    def resetPermissions(*, browserContextId: str | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        return Command("Browser.resetPermissions", params)

    @staticmethod
    def setDownloadBehavior(
        *,
        behavior: str,
        browserContextId: str | None = None,
        downloadPath: str | None = None,
        eventsEnabled: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"behavior": behavior}
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        if downloadPath is not None:
            params["downloadPath"] = downloadPath
        if eventsEnabled is not None:
            params["eventsEnabled"] = eventsEnabled
        return Command("Browser.setDownloadBehavior", params)

    @staticmethod
    def setPermission(
        *,
        permission: BrowserPermissionDescriptor,
        setting: str,
        origin: str | None = None,
        embeddedOrigin: str | None = None,
        browserContextId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"permission": permission, "setting": setting}
        if origin is not None:
            params["origin"] = origin
        if embeddedOrigin is not None:
            params["embeddedOrigin"] = embeddedOrigin
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        return Command("Browser.setPermission", params)


class DOM:
    """Commands and events of the DOM domain."""

    @staticmethod
    def describeNode(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
        depth: int | None = None,
        pierce: bool | None = None,
    ) -> Command[DOMDescribeNodeResult]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        if depth is not None:
            params["depth"] = depth
        if pierce is not None:
            params["pierce"] = pierce
        return Command("DOM.describeNode", params)

    @staticmethod
    def enable(*, includeWhitespace: str | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if includeWhitespace is not None:
            params["includeWhitespace"] = includeWhitespace
        return Command("DOM.enable", params)

    @staticmethod
    def focus(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        return Command("DOM.focus", params)

    @staticmethod
    def getBoxModel(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
    ) -> Command[DOMGetBoxModelResult]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        return Command("DOM.getBoxModel", params)

    @staticmethod
    def getContentQuads(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
    ) -> Command[DOMGetContentQuadsResult]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        return Command("DOM.getContentQuads", params)

    @staticmethod
    def getDocument(
        *,
        depth: int | None = None,
        pierce: bool | None = None,
    ) -> Command[DOMGetDocumentResult]:
        params: dict[str, Any] = {}
        if depth is not None:
            params["depth"] = depth
        if pierce is not None:
            params["pierce"] = pierce
        return Command("DOM.getDocument", params)

    @staticmethod
    def getFrameOwner(*, frameId: str) -> Command[DOMGetFrameOwnerResult]:
        return Command("DOM.getFrameOwner", {"frameId": frameId})

    @staticmethod
    def getNodeForLocation(
        *,
        x: int,
        y: int,
        includeUserAgentShadowDOM: bool | None = None,
        ignorePointerEventsNone: bool | None = None,
    ) -> Command[DOMGetNodeForLocationResult]:
        params: dict[str, Any] = {"x": x, "y": y}
        if includeUserAgentShadowDOM is not None:
            params["includeUserAgentShadowDOM"] = includeUserAgentShadowDOM
        if ignorePointerEventsNone is not None:
            params["ignorePointerEventsNone"] = ignorePointerEventsNone
        return Command("DOM.getNodeForLocation", params)

    @staticmethod
    def querySelector(*, nodeId: int, selector: str) -> Command[DOMQuerySelectorResult]:
        return Command("DOM.querySelector", {"nodeId": nodeId, "selector": selector})

    @staticmethod
    def requestNode(*, objectId: str) -> Command[DOMRequestNodeResult]:
        return Command("DOM.requestNode", {"objectId": objectId})

    @staticmethod
    def resolveNode(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectGroup: str | None = None,
        executionContextId: int | None = None,
    ) -> Command[DOMResolveNodeResult]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectGroup is not None:
            params["objectGroup"] = objectGroup
        if executionContextId is not None:
            params["executionContextId"] = executionContextId
        return Command("DOM.resolveNode", params)

    @staticmethod
    def scrollIntoViewIfNeeded(
        *,
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
        rect: DOMRect | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        if rect is not None:
            params["rect"] = rect
        return Command("DOM.scrollIntoViewIfNeeded", params)

    @staticmethod
    def setFileInputFiles(
        *,
        files: list[str],
        nodeId: int | None = None,
        backendNodeId: int | None = None,
        objectId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"files": files}
        if nodeId is not None:
            params["nodeId"] = nodeId
        if backendNodeId is not None:
            params["backendNodeId"] = backendNodeId
        if objectId is not None:
            params["objectId"] = objectId
        return Command("DOM.setFileInputFiles", params)


class DOMDebugger:
    """Commands and events of the DOMDebugger domain."""

    @staticmethod
    def getEventListeners(
        *,
        objectId: str,
        depth: int | None = None,
        pierce: bool | None = None,
    ) -> Command[DOMDebuggerGetEventListenersResult]:
        params: dict[str, Any] = {"objectId": objectId}
        if depth is not None:
            params["depth"] = depth
        if pierce is not None:
            params["pierce"] = pierce
        return Command("DOMDebugger.getEventListeners", params)


class Debugger:
    """Commands and events of the Debugger domain."""

    paused: EventName[DebuggerPausedEvent] = EventName("Debugger.paused")
    resumed: EventName[Empty] = EventName("Debugger.resumed")

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("Debugger.disable")

    @staticmethod
    def enable(*, maxScriptsCacheSize: float | None = None) -> Command[DebuggerEnableResult]:
        params: dict[str, Any] = {}
        if maxScriptsCacheSize is not None:
            params["maxScriptsCacheSize"] = maxScriptsCacheSize
        return Command("Debugger.enable", params)

    @staticmethod
    def evaluateOnCallFrame(
        *,
        callFrameId: str,
        expression: str,
        objectGroup: str | None = None,
        includeCommandLineAPI: bool | None = None,
        silent: bool | None = None,
        returnByValue: bool | None = None,
        generatePreview: bool | None = None,
        throwOnSideEffect: bool | None = None,
        timeout: float | None = None,
        scopeNumber: int | None = None,
    ) -> Command[DebuggerEvaluateOnCallFrameResult]:
        params: dict[str, Any] = {"callFrameId": callFrameId, "expression": expression}
        if objectGroup is not None:
            params["objectGroup"] = objectGroup
        if includeCommandLineAPI is not None:
            params["includeCommandLineAPI"] = includeCommandLineAPI
        if silent is not None:
            params["silent"] = silent
        if returnByValue is not None:
            params["returnByValue"] = returnByValue
        if generatePreview is not None:
            params["generatePreview"] = generatePreview
        if throwOnSideEffect is not None:
            params["throwOnSideEffect"] = throwOnSideEffect
        if timeout is not None:
            params["timeout"] = timeout
        if scopeNumber is not None:
            params["scopeNumber"] = scopeNumber
        return Command("Debugger.evaluateOnCallFrame", params)

    @staticmethod
    def pause() -> Command[Empty]:
        return Command("Debugger.pause")

    @staticmethod
    def resume(*, terminateOnResume: bool | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if terminateOnResume is not None:
            params["terminateOnResume"] = terminateOnResume
        return Command("Debugger.resume", params)

    @staticmethod
    def setBlackboxPatterns(
        *,
        patterns: list[str],
        skipAnonymous: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"patterns": patterns}
        if skipAnonymous is not None:
            params["skipAnonymous"] = skipAnonymous
        return Command("Debugger.setBlackboxPatterns", params)

    @staticmethod
    def setSkipAllPauses(*, skip: bool) -> Command[Empty]:
        return Command("Debugger.setSkipAllPauses", {"skip": skip})


class Emulation:
    """Commands and events of the Emulation domain."""

    @staticmethod
    def clearDeviceMetricsOverride() -> Command[Empty]:
        return Command("Emulation.clearDeviceMetricsOverride")

    @staticmethod
    def clearGeolocationOverride() -> Command[Empty]:
        return Command("Emulation.clearGeolocationOverride")

    @staticmethod
    def setCPUThrottlingRate(*, rate: float) -> Command[Empty]:
        return Command("Emulation.setCPUThrottlingRate", {"rate": rate})

    @staticmethod
    def setDeviceMetricsOverride(
        *,
        width: int,
        height: int,
        deviceScaleFactor: float,
        mobile: bool,
        scale: float | None = None,
        screenWidth: int | None = None,
        screenHeight: int | None = None,
        positionX: int | None = None,
        positionY: int | None = None,
        dontSetVisibleSize: bool | None = None,
        screenOrientation: EmulationScreenOrientation | None = None,
        viewport: PageViewport | None = None,
        displayFeature: EmulationDisplayFeature | None = None,
        devicePosture: EmulationDevicePosture | None = None,
        scrollbarType: str | None = None,
        screenOrientationLockEmulation: bool | None = None,
        viewportMeta: str | None = None,
        textLayoutMode: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": deviceScaleFactor, "mobile": mobile}
        if scale is not None:
            params["scale"] = scale
        if screenWidth is not None:
            params["screenWidth"] = screenWidth
        if screenHeight is not None:
            params["screenHeight"] = screenHeight
        if positionX is not None:
            params["positionX"] = positionX
        if positionY is not None:
            params["positionY"] = positionY
        if dontSetVisibleSize is not None:
            params["dontSetVisibleSize"] = dontSetVisibleSize
        if screenOrientation is not None:
            params["screenOrientation"] = screenOrientation
        if viewport is not None:
            params["viewport"] = viewport
        if displayFeature is not None:
            params["displayFeature"] = displayFeature
        if devicePosture is not None:
            params["devicePosture"] = devicePosture
        if scrollbarType is not None:
            params["scrollbarType"] = scrollbarType
        if screenOrientationLockEmulation is not None:
            params["screenOrientationLockEmulation"] = screenOrientationLockEmulation
        if viewportMeta is not None:
            params["viewportMeta"] = viewportMeta
        if textLayoutMode is not None:
            params["textLayoutMode"] = textLayoutMode
        return Command("Emulation.setDeviceMetricsOverride", params)

    @staticmethod
    def setEmulatedMedia(
        *,
        media: str | None = None,
        features: list[EmulationMediaFeature] | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if media is not None:
            params["media"] = media
        if features is not None:
            params["features"] = features
        return Command("Emulation.setEmulatedMedia", params)

    @staticmethod
    def setFocusEmulationEnabled(*, enabled: bool) -> Command[Empty]:
        return Command("Emulation.setFocusEmulationEnabled", {"enabled": enabled})

    @staticmethod
    def setGeolocationOverride(
        *,
        latitude: float | None = None,
        longitude: float | None = None,
        accuracy: float | None = None,
        altitude: float | None = None,
        altitudeAccuracy: float | None = None,
        heading: float | None = None,
        speed: float | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if latitude is not None:
            params["latitude"] = latitude
        if longitude is not None:
            params["longitude"] = longitude
        if accuracy is not None:
            params["accuracy"] = accuracy
        if altitude is not None:
            params["altitude"] = altitude
        if altitudeAccuracy is not None:
            params["altitudeAccuracy"] = altitudeAccuracy
        if heading is not None:
            params["heading"] = heading
        if speed is not None:
            params["speed"] = speed
        return Command("Emulation.setGeolocationOverride", params)

    @staticmethod
    def setLocaleOverride(*, locale: str | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if locale is not None:
            params["locale"] = locale
        return Command("Emulation.setLocaleOverride", params)

    @staticmethod
    def setTimezoneOverride(*, timezoneId: str) -> Command[Empty]:
        return Command("Emulation.setTimezoneOverride", {"timezoneId": timezoneId})

    @staticmethod
    def setTouchEmulationEnabled(
        *,
        enabled: bool,
        maxTouchPoints: int | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"enabled": enabled}
        if maxTouchPoints is not None:
            params["maxTouchPoints"] = maxTouchPoints
        return Command("Emulation.setTouchEmulationEnabled", params)

    @staticmethod
    def setUserAgentOverride(
        *,
        userAgent: str,
        acceptLanguage: str | None = None,
        platform: str | None = None,
        userAgentMetadata: EmulationUserAgentMetadata | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"userAgent": userAgent}
        if acceptLanguage is not None:
            params["acceptLanguage"] = acceptLanguage
        if platform is not None:
            params["platform"] = platform
        if userAgentMetadata is not None:
            params["userAgentMetadata"] = userAgentMetadata
        return Command("Emulation.setUserAgentOverride", params)


class FedCm:
    """Commands and events of the FedCm domain."""

    dialogClosed: EventName[FedCmDialogClosedEvent] = EventName("FedCm.dialogClosed")
    dialogShown: EventName[FedCmDialogShownEvent] = EventName("FedCm.dialogShown")

    @staticmethod
    def clickDialogButton(*, dialogId: str, dialogButton: str) -> Command[Empty]:
        return Command("FedCm.clickDialogButton", {"dialogId": dialogId, "dialogButton": dialogButton})

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("FedCm.disable")

    @staticmethod
    def dismissDialog(*, dialogId: str, triggerCooldown: bool | None = None) -> Command[Empty]:
        params: dict[str, Any] = {"dialogId": dialogId}
        if triggerCooldown is not None:
            params["triggerCooldown"] = triggerCooldown
        return Command("FedCm.dismissDialog", params)

    @staticmethod
    def enable(*, disableRejectionDelay: bool | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if disableRejectionDelay is not None:
            params["disableRejectionDelay"] = disableRejectionDelay
        return Command("FedCm.enable", params)

    @staticmethod
    def openUrl(*, dialogId: str, accountIndex: int, accountUrlType: str) -> Command[Empty]:
        return Command("FedCm.openUrl", {"dialogId": dialogId, "accountIndex": accountIndex, "accountUrlType": accountUrlType})

    @staticmethod
    def resetCooldown() -> Command[Empty]:
        return Command("FedCm.resetCooldown")

    @staticmethod
    def selectAccount(*, dialogId: str, accountIndex: int) -> Command[Empty]:
        return Command("FedCm.selectAccount", {"dialogId": dialogId, "accountIndex": accountIndex})


class Fetch:
    """Commands and events of the Fetch domain."""

    authRequired: EventName[FetchAuthRequiredEvent] = EventName("Fetch.authRequired")
    requestPaused: EventName[FetchRequestPausedEvent] = EventName("Fetch.requestPaused")

    @staticmethod
    def continueRequest(
        *,
        requestId: str,
        url: str | None = None,
        method: str | None = None,
        postData: str | None = None,
        headers: list[FetchHeaderEntry] | None = None,
        interceptResponse: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"requestId": requestId}
        if url is not None:
            params["url"] = url
        if method is not None:
            params["method"] = method
        if postData is not None:
            params["postData"] = postData
        if headers is not None:
            params["headers"] = headers
        if interceptResponse is not None:
            params["interceptResponse"] = interceptResponse
        return Command("Fetch.continueRequest", params)

    @staticmethod
    def continueResponse(
        *,
        requestId: str,
        responseCode: int | None = None,
        responsePhrase: str | None = None,
        responseHeaders: list[FetchHeaderEntry] | None = None,
        binaryResponseHeaders: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"requestId": requestId}
        if responseCode is not None:
            params["responseCode"] = responseCode
        if responsePhrase is not None:
            params["responsePhrase"] = responsePhrase
        if responseHeaders is not None:
            params["responseHeaders"] = responseHeaders
        if binaryResponseHeaders is not None:
            params["binaryResponseHeaders"] = binaryResponseHeaders
        return Command("Fetch.continueResponse", params)

    @staticmethod
    def continueWithAuth(
        *,
        requestId: str,
        authChallengeResponse: FetchAuthChallengeResponse,
    ) -> Command[Empty]:
        return Command("Fetch.continueWithAuth", {"requestId": requestId, "authChallengeResponse": authChallengeResponse})

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("Fetch.disable")

    @staticmethod
    def enable(
        *,
        patterns: list[FetchRequestPattern] | None = None,
        handleAuthRequests: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if patterns is not None:
            params["patterns"] = patterns
        if handleAuthRequests is not None:
            params["handleAuthRequests"] = handleAuthRequests
        return Command("Fetch.enable", params)

    @staticmethod
    def failRequest(*, requestId: str, errorReason: str) -> Command[Empty]:
        return Command("Fetch.failRequest", {"requestId": requestId, "errorReason": errorReason})

    @staticmethod
    def fulfillRequest(
        *,
        requestId: str,
        responseCode: int,
        responseHeaders: list[FetchHeaderEntry] | None = None,
        binaryResponseHeaders: str | None = None,
        body: str | None = None,
        responsePhrase: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"requestId": requestId, "responseCode": responseCode}
        if responseHeaders is not None:
            params["responseHeaders"] = responseHeaders
        if binaryResponseHeaders is not None:
            params["binaryResponseHeaders"] = binaryResponseHeaders
        if body is not None:
            params["body"] = body
        if responsePhrase is not None:
            params["responsePhrase"] = responsePhrase
        return Command("Fetch.fulfillRequest", params)

    @staticmethod
    def getResponseBody(*, requestId: str) -> Command[FetchGetResponseBodyResult]:
        return Command("Fetch.getResponseBody", {"requestId": requestId})

    @staticmethod
    def takeResponseBodyAsStream(*, requestId: str) -> Command[FetchTakeResponseBodyAsStreamResult]:
        return Command("Fetch.takeResponseBodyAsStream", {"requestId": requestId})


class IO:
    """Commands and events of the IO domain."""

    @staticmethod
    def close(*, handle: str) -> Command[Empty]:
        return Command("IO.close", {"handle": handle})

    @staticmethod
    def read(
        *,
        handle: str,
        offset: int | None = None,
        size: int | None = None,
    ) -> Command[IOReadResult]:
        params: dict[str, Any] = {"handle": handle}
        if offset is not None:
            params["offset"] = offset
        if size is not None:
            params["size"] = size
        return Command("IO.read", params)


class Input:
    """Commands and events of the Input domain."""

    dragIntercepted: EventName[InputDragInterceptedEvent] = EventName("Input.dragIntercepted")

    @staticmethod
    def dispatchDragEvent(
        *,
        type: str,
        x: float,
        y: float,
        data: InputDragData,
        modifiers: int | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"type": type, "x": x, "y": y, "data": data}
        if modifiers is not None:
            params["modifiers"] = modifiers
        return Command("Input.dispatchDragEvent", params)

    @staticmethod
    def dispatchKeyEvent(
        *,
        type: str,
        modifiers: int | None = None,
        timestamp: float | None = None,
        text: str | None = None,
        unmodifiedText: str | None = None,
        keyIdentifier: str | None = None,
        code: str | None = None,
        key: str | None = None,
        windowsVirtualKeyCode: int | None = None,
        nativeVirtualKeyCode: int | None = None,
        autoRepeat: bool | None = None,
        isKeypad: bool | None = None,
        isSystemKey: bool | None = None,
        location: int | None = None,
        commands: list[str] | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"type": type}
        if modifiers is not None:
            params["modifiers"] = modifiers
        if timestamp is not None:
            params["timestamp"] = timestamp
        if text is not None:
            params["text"] = text
        if unmodifiedText is not None:
            params["unmodifiedText"] = unmodifiedText
        if keyIdentifier is not None:
            params["keyIdentifier"] = keyIdentifier
        if code is not None:
            params["code"] = code
        if key is not None:
            params["key"] = key
        if windowsVirtualKeyCode is not None:
            params["windowsVirtualKeyCode"] = windowsVirtualKeyCode
        if nativeVirtualKeyCode is not None:
            params["nativeVirtualKeyCode"] = nativeVirtualKeyCode
        if autoRepeat is not None:
            params["autoRepeat"] = autoRepeat
        if isKeypad is not None:
            params["isKeypad"] = isKeypad
        if isSystemKey is not None:
            params["isSystemKey"] = isSystemKey
        if location is not None:
            params["location"] = location
        if commands is not None:
            params["commands"] = commands
        return Command("Input.dispatchKeyEvent", params)

    @staticmethod
    def dispatchMouseEvent(
        *,
        type: str,
        x: float,
        y: float,
        modifiers: int | None = None,
        timestamp: float | None = None,
        button: str | None = None,
        buttons: int | None = None,
        clickCount: int | None = None,
        force: float | None = None,
        tangentialPressure: float | None = None,
        tiltX: float | None = None,
        tiltY: float | None = None,
        twist: int | None = None,
        deltaX: float | None = None,
        deltaY: float | None = None,
        pointerType: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"type": type, "x": x, "y": y}
        if modifiers is not None:
            params["modifiers"] = modifiers
        if timestamp is not None:
            params["timestamp"] = timestamp
        if button is not None:
            params["button"] = button
        if buttons is not None:
            params["buttons"] = buttons
        if clickCount is not None:
            params["clickCount"] = clickCount
        if force is not None:
            params["force"] = force
        if tangentialPressure is not None:
            params["tangentialPressure"] = tangentialPressure
        if tiltX is not None:
            params["tiltX"] = tiltX
        if tiltY is not None:
            params["tiltY"] = tiltY
        if twist is not None:
            params["twist"] = twist
        if deltaX is not None:
            params["deltaX"] = deltaX
        if deltaY is not None:
            params["deltaY"] = deltaY
        if pointerType is not None:
            params["pointerType"] = pointerType
        return Command("Input.dispatchMouseEvent", params)

    @staticmethod
    def dispatchTouchEvent(
        *,
        type: str,
        touchPoints: list[InputTouchPoint],
        modifiers: int | None = None,
        timestamp: float | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"type": type, "touchPoints": touchPoints}
        if modifiers is not None:
            params["modifiers"] = modifiers
        if timestamp is not None:
            params["timestamp"] = timestamp
        return Command("Input.dispatchTouchEvent", params)

    @staticmethod
    def insertText(*, text: str) -> Command[Empty]:
        return Command("Input.insertText", {"text": text})

    @staticmethod
    def setInterceptDrags(*, enabled: bool) -> Command[Empty]:
        return Command("Input.setInterceptDrags", {"enabled": enabled})


class Inspector:
    """Commands and events of the Inspector domain."""

    detached: EventName[InspectorDetachedEvent] = EventName("Inspector.detached")
    targetCrashed: EventName[Empty] = EventName("Inspector.targetCrashed")
    targetReloadedAfterCrash: EventName[Empty] = EventName("Inspector.targetReloadedAfterCrash")

    @staticmethod
    def enable() -> Command[Empty]:
        return Command("Inspector.enable")


class Log:
    """Commands and events of the Log domain."""

    entryAdded: EventName[LogEntryAddedEvent] = EventName("Log.entryAdded")

    @staticmethod
    def enable() -> Command[Empty]:
        return Command("Log.enable")


class Network:
    """Commands and events of the Network domain."""

    dataReceived: EventName[NetworkDataReceivedEvent] = EventName("Network.dataReceived")
    loadingFailed: EventName[NetworkLoadingFailedEvent] = EventName("Network.loadingFailed")
    loadingFinished: EventName[NetworkLoadingFinishedEvent] = EventName("Network.loadingFinished")
    requestServedFromCache: EventName[NetworkRequestServedFromCacheEvent] = EventName("Network.requestServedFromCache")
    requestWillBeSent: EventName[NetworkRequestWillBeSentEvent] = EventName("Network.requestWillBeSent")
    requestWillBeSentExtraInfo: EventName[NetworkRequestWillBeSentExtraInfoEvent] = EventName("Network.requestWillBeSentExtraInfo")
    responseReceived: EventName[NetworkResponseReceivedEvent] = EventName("Network.responseReceived")
    responseReceivedExtraInfo: EventName[NetworkResponseReceivedExtraInfoEvent] = EventName("Network.responseReceivedExtraInfo")
    webSocketClosed: EventName[NetworkWebSocketClosedEvent] = EventName("Network.webSocketClosed")
    webSocketCreated: EventName[NetworkWebSocketCreatedEvent] = EventName("Network.webSocketCreated")
    webSocketFrameError: EventName[NetworkWebSocketFrameErrorEvent] = EventName("Network.webSocketFrameError")
    webSocketHandshakeResponseReceived: EventName[NetworkWebSocketHandshakeResponseReceivedEvent] = EventName("Network.webSocketHandshakeResponseReceived")

    @staticmethod
    def clearBrowserCookies() -> Command[Empty]:
        return Command("Network.clearBrowserCookies")

    @staticmethod
    def deleteCookies(
        *,
        name: str,
        url: str | None = None,
        domain: str | None = None,
        path: str | None = None,
        partitionKey: NetworkCookiePartitionKey | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"name": name}
        if url is not None:
            params["url"] = url
        if domain is not None:
            params["domain"] = domain
        if path is not None:
            params["path"] = path
        if partitionKey is not None:
            params["partitionKey"] = partitionKey
        return Command("Network.deleteCookies", params)

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("Network.disable")

    @staticmethod
    def emulateNetworkConditions(
        *,
        offline: bool,
        latency: float,
        downloadThroughput: float,
        uploadThroughput: float,
        connectionType: str | None = None,
        packetLoss: float | None = None,
        packetQueueLength: int | None = None,
        packetReordering: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"offline": offline, "latency": latency, "downloadThroughput": downloadThroughput, "uploadThroughput": uploadThroughput}
        if connectionType is not None:
            params["connectionType"] = connectionType
        if packetLoss is not None:
            params["packetLoss"] = packetLoss
        if packetQueueLength is not None:
            params["packetQueueLength"] = packetQueueLength
        if packetReordering is not None:
            params["packetReordering"] = packetReordering
        return Command("Network.emulateNetworkConditions", params)

    @staticmethod
    def enable(
        *,
        maxTotalBufferSize: int | None = None,
        maxResourceBufferSize: int | None = None,
        maxPostDataSize: int | None = None,
        reportDirectSocketTraffic: bool | None = None,
        enableDurableMessages: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if maxTotalBufferSize is not None:
            params["maxTotalBufferSize"] = maxTotalBufferSize
        if maxResourceBufferSize is not None:
            params["maxResourceBufferSize"] = maxResourceBufferSize
        if maxPostDataSize is not None:
            params["maxPostDataSize"] = maxPostDataSize
        if reportDirectSocketTraffic is not None:
            params["reportDirectSocketTraffic"] = reportDirectSocketTraffic
        if enableDurableMessages is not None:
            params["enableDurableMessages"] = enableDurableMessages
        return Command("Network.enable", params)

    @staticmethod
    def getCookies(*, urls: list[str] | None = None) -> Command[NetworkGetCookiesResult]:
        params: dict[str, Any] = {}
        if urls is not None:
            params["urls"] = urls
        return Command("Network.getCookies", params)

    @staticmethod
    def getRequestPostData(*, requestId: str) -> Command[NetworkGetRequestPostDataResult]:
        return Command("Network.getRequestPostData", {"requestId": requestId})

    @staticmethod
    def getResponseBody(*, requestId: str) -> Command[NetworkGetResponseBodyResult]:
        return Command("Network.getResponseBody", {"requestId": requestId})

    @staticmethod
    def setBypassServiceWorker(*, bypass: bool) -> Command[Empty]:
        return Command("Network.setBypassServiceWorker", {"bypass": bypass})

    @staticmethod
    def setCacheDisabled(*, cacheDisabled: bool) -> Command[Empty]:
        return Command("Network.setCacheDisabled", {"cacheDisabled": cacheDisabled})

    @staticmethod
    def setCookie(
        *,
        name: str,
        value: str,
        url: str | None = None,
        domain: str | None = None,
        path: str | None = None,
        secure: bool | None = None,
        httpOnly: bool | None = None,
        sameSite: str | None = None,
        expires: float | None = None,
        priority: str | None = None,
        sourceScheme: str | None = None,
        sourcePort: int | None = None,
        partitionKey: NetworkCookiePartitionKey | None = None,
    ) -> Command[NetworkSetCookieResult]:
        params: dict[str, Any] = {"name": name, "value": value}
        if url is not None:
            params["url"] = url
        if domain is not None:
            params["domain"] = domain
        if path is not None:
            params["path"] = path
        if secure is not None:
            params["secure"] = secure
        if httpOnly is not None:
            params["httpOnly"] = httpOnly
        if sameSite is not None:
            params["sameSite"] = sameSite
        if expires is not None:
            params["expires"] = expires
        if priority is not None:
            params["priority"] = priority
        if sourceScheme is not None:
            params["sourceScheme"] = sourceScheme
        if sourcePort is not None:
            params["sourcePort"] = sourcePort
        if partitionKey is not None:
            params["partitionKey"] = partitionKey
        return Command("Network.setCookie", params)

    @staticmethod
    def setCookies(*, cookies: list[NetworkCookieParam]) -> Command[Empty]:
        return Command("Network.setCookies", {"cookies": cookies})

    @staticmethod
    def setExtraHTTPHeaders(*, headers: dict[str, Any]) -> Command[Empty]:
        return Command("Network.setExtraHTTPHeaders", {"headers": headers})


class Page:
    """Commands and events of the Page domain."""

    documentOpened: EventName[PageDocumentOpenedEvent] = EventName("Page.documentOpened")
    domContentEventFired: EventName[PageDomContentEventFiredEvent] = EventName("Page.domContentEventFired")
    downloadProgress: EventName[PageDownloadProgressEvent] = EventName("Page.downloadProgress")
    downloadWillBegin: EventName[PageDownloadWillBeginEvent] = EventName("Page.downloadWillBegin")
    fileChooserOpened: EventName[PageFileChooserOpenedEvent] = EventName("Page.fileChooserOpened")
    frameAttached: EventName[PageFrameAttachedEvent] = EventName("Page.frameAttached")
    frameDetached: EventName[PageFrameDetachedEvent] = EventName("Page.frameDetached")
    frameNavigated: EventName[PageFrameNavigatedEvent] = EventName("Page.frameNavigated")
    frameRequestedNavigation: EventName[PageFrameRequestedNavigationEvent] = EventName("Page.frameRequestedNavigation")
    frameStartedLoading: EventName[PageFrameStartedLoadingEvent] = EventName("Page.frameStartedLoading")
    frameStartedNavigating: EventName[PageFrameStartedNavigatingEvent] = EventName("Page.frameStartedNavigating")
    frameStoppedLoading: EventName[PageFrameStoppedLoadingEvent] = EventName("Page.frameStoppedLoading")
    javascriptDialogClosed: EventName[PageJavascriptDialogClosedEvent] = EventName("Page.javascriptDialogClosed")
    javascriptDialogOpening: EventName[PageJavascriptDialogOpeningEvent] = EventName("Page.javascriptDialogOpening")
    lifecycleEvent: EventName[PageLifecycleEventEvent] = EventName("Page.lifecycleEvent")
    loadEventFired: EventName[PageLoadEventFiredEvent] = EventName("Page.loadEventFired")
    navigatedWithinDocument: EventName[PageNavigatedWithinDocumentEvent] = EventName("Page.navigatedWithinDocument")
    windowOpen: EventName[PageWindowOpenEvent] = EventName("Page.windowOpen")

    @staticmethod
    def addScriptToEvaluateOnNewDocument(
        *,
        source: str,
        worldName: str | None = None,
        includeCommandLineAPI: bool | None = None,
        runImmediately: bool | None = None,
    ) -> Command[PageAddScriptToEvaluateOnNewDocumentResult]:
        params: dict[str, Any] = {"source": source}
        if worldName is not None:
            params["worldName"] = worldName
        if includeCommandLineAPI is not None:
            params["includeCommandLineAPI"] = includeCommandLineAPI
        if runImmediately is not None:
            params["runImmediately"] = runImmediately
        return Command("Page.addScriptToEvaluateOnNewDocument", params)

    @staticmethod
    def bringToFront() -> Command[Empty]:
        return Command("Page.bringToFront")

    @staticmethod
    def captureScreenshot(
        *,
        format: str | None = None,
        quality: int | None = None,
        clip: PageViewport | None = None,
        fromSurface: bool | None = None,
        captureBeyondViewport: bool | None = None,
        optimizeForSpeed: bool | None = None,
    ) -> Command[PageCaptureScreenshotResult]:
        params: dict[str, Any] = {}
        if format is not None:
            params["format"] = format
        if quality is not None:
            params["quality"] = quality
        if clip is not None:
            params["clip"] = clip
        if fromSurface is not None:
            params["fromSurface"] = fromSurface
        if captureBeyondViewport is not None:
            params["captureBeyondViewport"] = captureBeyondViewport
        if optimizeForSpeed is not None:
            params["optimizeForSpeed"] = optimizeForSpeed
        return Command("Page.captureScreenshot", params)

    @staticmethod
    def close() -> Command[Empty]:
        return Command("Page.close")

    @staticmethod
    def crash() -> Command[Empty]:
        return Command("Page.crash")

    @staticmethod
    def createIsolatedWorld(
        *,
        frameId: str,
        worldName: str | None = None,
        grantUniveralAccess: bool | None = None,
        contentSecurityPolicy: str | None = None,
    ) -> Command[PageCreateIsolatedWorldResult]:
        params: dict[str, Any] = {"frameId": frameId}
        if worldName is not None:
            params["worldName"] = worldName
        if grantUniveralAccess is not None:
            params["grantUniveralAccess"] = grantUniveralAccess
        if contentSecurityPolicy is not None:
            params["contentSecurityPolicy"] = contentSecurityPolicy
        return Command("Page.createIsolatedWorld", params)

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("Page.disable")

    @staticmethod
    def enable(*, enableFileChooserOpenedEvent: bool | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if enableFileChooserOpenedEvent is not None:
            params["enableFileChooserOpenedEvent"] = enableFileChooserOpenedEvent
        return Command("Page.enable", params)

    @staticmethod
    def getFrameTree() -> Command[PageGetFrameTreeResult]:
        return Command("Page.getFrameTree")

    @staticmethod
    def getLayoutMetrics() -> Command[PageGetLayoutMetricsResult]:
        return Command("Page.getLayoutMetrics")

    @staticmethod
    def getNavigationHistory() -> Command[PageGetNavigationHistoryResult]:
        return Command("Page.getNavigationHistory")

    @staticmethod
    def handleJavaScriptDialog(*, accept: bool, promptText: str | None = None) -> Command[Empty]:
        params: dict[str, Any] = {"accept": accept}
        if promptText is not None:
            params["promptText"] = promptText
        return Command("Page.handleJavaScriptDialog", params)

    @staticmethod
    def navigate(
        *,
        url: str,
        referrer: str | None = None,
        transitionType: str | None = None,
        frameId: str | None = None,
        referrerPolicy: str | None = None,
    ) -> Command[PageNavigateResult]:
        params: dict[str, Any] = {"url": url}
        if referrer is not None:
            params["referrer"] = referrer
        if transitionType is not None:
            params["transitionType"] = transitionType
        if frameId is not None:
            params["frameId"] = frameId
        if referrerPolicy is not None:
            params["referrerPolicy"] = referrerPolicy
        return Command("Page.navigate", params)

    @staticmethod
    def navigateToHistoryEntry(*, entryId: int) -> Command[Empty]:
        return Command("Page.navigateToHistoryEntry", {"entryId": entryId})

    @staticmethod
    def printToPDF(
        *,
        landscape: bool | None = None,
        displayHeaderFooter: bool | None = None,
        printBackground: bool | None = None,
        scale: float | None = None,
        paperWidth: float | None = None,
        paperHeight: float | None = None,
        marginTop: float | None = None,
        marginBottom: float | None = None,
        marginLeft: float | None = None,
        marginRight: float | None = None,
        pageRanges: str | None = None,
        headerTemplate: str | None = None,
        footerTemplate: str | None = None,
        preferCSSPageSize: bool | None = None,
        transferMode: str | None = None,
        generateTaggedPDF: bool | None = None,
        generateDocumentOutline: bool | None = None,
    ) -> Command[PagePrintToPDFResult]:
        params: dict[str, Any] = {}
        if landscape is not None:
            params["landscape"] = landscape
        if displayHeaderFooter is not None:
            params["displayHeaderFooter"] = displayHeaderFooter
        if printBackground is not None:
            params["printBackground"] = printBackground
        if scale is not None:
            params["scale"] = scale
        if paperWidth is not None:
            params["paperWidth"] = paperWidth
        if paperHeight is not None:
            params["paperHeight"] = paperHeight
        if marginTop is not None:
            params["marginTop"] = marginTop
        if marginBottom is not None:
            params["marginBottom"] = marginBottom
        if marginLeft is not None:
            params["marginLeft"] = marginLeft
        if marginRight is not None:
            params["marginRight"] = marginRight
        if pageRanges is not None:
            params["pageRanges"] = pageRanges
        if headerTemplate is not None:
            params["headerTemplate"] = headerTemplate
        if footerTemplate is not None:
            params["footerTemplate"] = footerTemplate
        if preferCSSPageSize is not None:
            params["preferCSSPageSize"] = preferCSSPageSize
        if transferMode is not None:
            params["transferMode"] = transferMode
        if generateTaggedPDF is not None:
            params["generateTaggedPDF"] = generateTaggedPDF
        if generateDocumentOutline is not None:
            params["generateDocumentOutline"] = generateDocumentOutline
        return Command("Page.printToPDF", params)

    @staticmethod
    def reload(
        *,
        ignoreCache: bool | None = None,
        scriptToEvaluateOnLoad: str | None = None,
        loaderId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if ignoreCache is not None:
            params["ignoreCache"] = ignoreCache
        if scriptToEvaluateOnLoad is not None:
            params["scriptToEvaluateOnLoad"] = scriptToEvaluateOnLoad
        if loaderId is not None:
            params["loaderId"] = loaderId
        return Command("Page.reload", params)

    @staticmethod
    def removeScriptToEvaluateOnNewDocument(*, identifier: str) -> Command[Empty]:
        return Command("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})

    @staticmethod
    def setBypassCSP(*, enabled: bool) -> Command[Empty]:
        return Command("Page.setBypassCSP", {"enabled": enabled})

    @staticmethod
    def setDocumentContent(*, frameId: str, html: str) -> Command[Empty]:
        return Command("Page.setDocumentContent", {"frameId": frameId, "html": html})

    @staticmethod
    def setInterceptFileChooserDialog(
        *,
        enabled: bool,
        cancel: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"enabled": enabled}
        if cancel is not None:
            params["cancel"] = cancel
        return Command("Page.setInterceptFileChooserDialog", params)

    @staticmethod
    def setLifecycleEventsEnabled(*, enabled: bool) -> Command[Empty]:
        return Command("Page.setLifecycleEventsEnabled", {"enabled": enabled})

    @staticmethod
    def setWebLifecycleState(*, state: str) -> Command[Empty]:
        return Command("Page.setWebLifecycleState", {"state": state})

    @staticmethod
    def startScreencast(
        *,
        format: str | None = None,
        quality: int | None = None,
        maxWidth: int | None = None,
        maxHeight: int | None = None,
        everyNthFrame: int | None = None,
        maxFramesInFlight: int | None = None,
        sendLastFrame: bool | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if format is not None:
            params["format"] = format
        if quality is not None:
            params["quality"] = quality
        if maxWidth is not None:
            params["maxWidth"] = maxWidth
        if maxHeight is not None:
            params["maxHeight"] = maxHeight
        if everyNthFrame is not None:
            params["everyNthFrame"] = everyNthFrame
        if maxFramesInFlight is not None:
            params["maxFramesInFlight"] = maxFramesInFlight
        if sendLastFrame is not None:
            params["sendLastFrame"] = sendLastFrame
        return Command("Page.startScreencast", params)

    @staticmethod
    def stopLoading() -> Command[Empty]:
        return Command("Page.stopLoading")

    @staticmethod
    def stopScreencast() -> Command[Empty]:
        return Command("Page.stopScreencast")


class Performance:
    """Commands and events of the Performance domain."""

    metrics: EventName[PerformanceMetricsEvent] = EventName("Performance.metrics")

    @staticmethod
    def enable(*, timeDomain: str | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if timeDomain is not None:
            params["timeDomain"] = timeDomain
        return Command("Performance.enable", params)

    @staticmethod
    def getMetrics() -> Command[PerformanceGetMetricsResult]:
        return Command("Performance.getMetrics")


class Runtime:
    """Commands and events of the Runtime domain."""

    bindingCalled: EventName[RuntimeBindingCalledEvent] = EventName("Runtime.bindingCalled")
    consoleAPICalled: EventName[RuntimeConsoleAPICalledEvent] = EventName("Runtime.consoleAPICalled")
    exceptionRevoked: EventName[RuntimeExceptionRevokedEvent] = EventName("Runtime.exceptionRevoked")
    exceptionThrown: EventName[RuntimeExceptionThrownEvent] = EventName("Runtime.exceptionThrown")
    executionContextCreated: EventName[RuntimeExecutionContextCreatedEvent] = EventName("Runtime.executionContextCreated")
    executionContextDestroyed: EventName[RuntimeExecutionContextDestroyedEvent] = EventName("Runtime.executionContextDestroyed")
    executionContextsCleared: EventName[Empty] = EventName("Runtime.executionContextsCleared")

    @staticmethod
    def addBinding(
        *,
        name: str,
        executionContextId: int | None = None,
        executionContextName: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"name": name}
        if executionContextId is not None:
            params["executionContextId"] = executionContextId
        if executionContextName is not None:
            params["executionContextName"] = executionContextName
        return Command("Runtime.addBinding", params)

    @staticmethod
    def callFunctionOn(
        *,
        functionDeclaration: str,
        objectId: str | None = None,
        arguments: list[RuntimeCallArgument] | None = None,
        silent: bool | None = None,
        returnByValue: bool | None = None,
        generatePreview: bool | None = None,
        userGesture: bool | None = None,
        awaitPromise: bool | None = None,
        executionContextId: int | None = None,
        objectGroup: str | None = None,
        throwOnSideEffect: bool | None = None,
        uniqueContextId: str | None = None,
        serializationOptions: RuntimeSerializationOptions | None = None,
    ) -> Command[RuntimeCallFunctionOnResult]:
        params: dict[str, Any] = {"functionDeclaration": functionDeclaration}
        if objectId is not None:
            params["objectId"] = objectId
        if arguments is not None:
            params["arguments"] = arguments
        if silent is not None:
            params["silent"] = silent
        if returnByValue is not None:
            params["returnByValue"] = returnByValue
        if generatePreview is not None:
            params["generatePreview"] = generatePreview
        if userGesture is not None:
            params["userGesture"] = userGesture
        if awaitPromise is not None:
            params["awaitPromise"] = awaitPromise
        if executionContextId is not None:
            params["executionContextId"] = executionContextId
        if objectGroup is not None:
            params["objectGroup"] = objectGroup
        if throwOnSideEffect is not None:
            params["throwOnSideEffect"] = throwOnSideEffect
        if uniqueContextId is not None:
            params["uniqueContextId"] = uniqueContextId
        if serializationOptions is not None:
            params["serializationOptions"] = serializationOptions
        return Command("Runtime.callFunctionOn", params)

    @staticmethod
    def disable() -> Command[Empty]:
        return Command("Runtime.disable")

    @staticmethod
    def enable() -> Command[Empty]:
        return Command("Runtime.enable")

    @staticmethod
    def evaluate(
        *,
        expression: str,
        objectGroup: str | None = None,
        includeCommandLineAPI: bool | None = None,
        silent: bool | None = None,
        contextId: int | None = None,
        returnByValue: bool | None = None,
        generatePreview: bool | None = None,
        userGesture: bool | None = None,
        awaitPromise: bool | None = None,
        throwOnSideEffect: bool | None = None,
        timeout: float | None = None,
        disableBreaks: bool | None = None,
        replMode: bool | None = None,
        allowUnsafeEvalBlockedByCSP: bool | None = None,
        uniqueContextId: str | None = None,
        serializationOptions: RuntimeSerializationOptions | None = None,
    ) -> Command[RuntimeEvaluateResult]:
        params: dict[str, Any] = {"expression": expression}
        if objectGroup is not None:
            params["objectGroup"] = objectGroup
        if includeCommandLineAPI is not None:
            params["includeCommandLineAPI"] = includeCommandLineAPI
        if silent is not None:
            params["silent"] = silent
        if contextId is not None:
            params["contextId"] = contextId
        if returnByValue is not None:
            params["returnByValue"] = returnByValue
        if generatePreview is not None:
            params["generatePreview"] = generatePreview
        if userGesture is not None:
            params["userGesture"] = userGesture
        if awaitPromise is not None:
            params["awaitPromise"] = awaitPromise
        if throwOnSideEffect is not None:
            params["throwOnSideEffect"] = throwOnSideEffect
        if timeout is not None:
            params["timeout"] = timeout
        if disableBreaks is not None:
            params["disableBreaks"] = disableBreaks
        if replMode is not None:
            params["replMode"] = replMode
        if allowUnsafeEvalBlockedByCSP is not None:
            params["allowUnsafeEvalBlockedByCSP"] = allowUnsafeEvalBlockedByCSP
        if uniqueContextId is not None:
            params["uniqueContextId"] = uniqueContextId
        if serializationOptions is not None:
            params["serializationOptions"] = serializationOptions
        return Command("Runtime.evaluate", params)

    @staticmethod
    def getProperties(
        *,
        objectId: str,
        ownProperties: bool | None = None,
        accessorPropertiesOnly: bool | None = None,
        generatePreview: bool | None = None,
        nonIndexedPropertiesOnly: bool | None = None,
    ) -> Command[RuntimeGetPropertiesResult]:
        params: dict[str, Any] = {"objectId": objectId}
        if ownProperties is not None:
            params["ownProperties"] = ownProperties
        if accessorPropertiesOnly is not None:
            params["accessorPropertiesOnly"] = accessorPropertiesOnly
        if generatePreview is not None:
            params["generatePreview"] = generatePreview
        if nonIndexedPropertiesOnly is not None:
            params["nonIndexedPropertiesOnly"] = nonIndexedPropertiesOnly
        return Command("Runtime.getProperties", params)

    @staticmethod
    def releaseObject(*, objectId: str) -> Command[Empty]:
        return Command("Runtime.releaseObject", {"objectId": objectId})

    @staticmethod
    def releaseObjectGroup(*, objectGroup: str) -> Command[Empty]:
        return Command("Runtime.releaseObjectGroup", {"objectGroup": objectGroup})

    @staticmethod
    def removeBinding(*, name: str) -> Command[Empty]:
        return Command("Runtime.removeBinding", {"name": name})

    @staticmethod
    def runIfWaitingForDebugger() -> Command[Empty]:
        return Command("Runtime.runIfWaitingForDebugger")

    @staticmethod
    def terminateExecution() -> Command[Empty]:
        return Command("Runtime.terminateExecution")


class Security:
    """Commands and events of the Security domain."""

    @staticmethod
    def setIgnoreCertificateErrors(*, ignore: bool) -> Command[Empty]:
        return Command("Security.setIgnoreCertificateErrors", {"ignore": ignore})


class Storage:
    """Commands and events of the Storage domain."""

    @staticmethod
    def clearCookies(*, browserContextId: str | None = None) -> Command[Empty]:
        params: dict[str, Any] = {}
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        return Command("Storage.clearCookies", params)

    @staticmethod
    def clearDataForOrigin(*, origin: str, storageTypes: str) -> Command[Empty]:
        return Command("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": storageTypes})

    @staticmethod
    def getCookies(*, browserContextId: str | None = None) -> Command[StorageGetCookiesResult]:
        params: dict[str, Any] = {}
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        return Command("Storage.getCookies", params)

    @staticmethod
    def setCookies(
        *,
        cookies: list[NetworkCookieParam],
        browserContextId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"cookies": cookies}
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        return Command("Storage.setCookies", params)


class Target:
    """Commands and events of the Target domain."""

    attachedToTarget: EventName[TargetAttachedToTargetEvent] = EventName("Target.attachedToTarget")
    detachedFromTarget: EventName[TargetDetachedFromTargetEvent] = EventName("Target.detachedFromTarget")
    receivedMessageFromTarget: EventName[TargetReceivedMessageFromTargetEvent] = EventName("Target.receivedMessageFromTarget")
    targetCrashed: EventName[TargetTargetCrashedEvent] = EventName("Target.targetCrashed")
    targetCreated: EventName[TargetTargetCreatedEvent] = EventName("Target.targetCreated")
    targetDestroyed: EventName[TargetTargetDestroyedEvent] = EventName("Target.targetDestroyed")
    targetInfoChanged: EventName[TargetTargetInfoChangedEvent] = EventName("Target.targetInfoChanged")

    @staticmethod
    def activateTarget(*, targetId: str) -> Command[Empty]:
        return Command("Target.activateTarget", {"targetId": targetId})

    @staticmethod
    def attachToBrowserTarget() -> Command[TargetAttachToBrowserTargetResult]:
        return Command("Target.attachToBrowserTarget")

    @staticmethod
    def attachToTarget(
        *,
        targetId: str,
        flatten: bool | None = None,
    ) -> Command[TargetAttachToTargetResult]:
        params: dict[str, Any] = {"targetId": targetId}
        if flatten is not None:
            params["flatten"] = flatten
        return Command("Target.attachToTarget", params)

    @staticmethod
    def closeTarget(*, targetId: str) -> Command[TargetCloseTargetResult]:
        return Command("Target.closeTarget", {"targetId": targetId})

    @staticmethod
    def createBrowserContext(
        *,
        disposeOnDetach: bool | None = None,
        proxyServer: str | None = None,
        proxyBypassList: str | None = None,
        originsWithUniversalNetworkAccess: list[str] | None = None,
    ) -> Command[TargetCreateBrowserContextResult]:
        params: dict[str, Any] = {}
        if disposeOnDetach is not None:
            params["disposeOnDetach"] = disposeOnDetach
        if proxyServer is not None:
            params["proxyServer"] = proxyServer
        if proxyBypassList is not None:
            params["proxyBypassList"] = proxyBypassList
        if originsWithUniversalNetworkAccess is not None:
            params["originsWithUniversalNetworkAccess"] = originsWithUniversalNetworkAccess
        return Command("Target.createBrowserContext", params)

    @staticmethod
    def createTarget(
        *,
        url: str,
        left: int | None = None,
        top: int | None = None,
        width: int | None = None,
        height: int | None = None,
        windowState: str | None = None,
        browserContextId: str | None = None,
        enableBeginFrameControl: bool | None = None,
        newWindow: bool | None = None,
        background: bool | None = None,
        forTab: bool | None = None,
        hidden: bool | None = None,
        focus: bool | None = None,
    ) -> Command[TargetCreateTargetResult]:
        params: dict[str, Any] = {"url": url}
        if left is not None:
            params["left"] = left
        if top is not None:
            params["top"] = top
        if width is not None:
            params["width"] = width
        if height is not None:
            params["height"] = height
        if windowState is not None:
            params["windowState"] = windowState
        if browserContextId is not None:
            params["browserContextId"] = browserContextId
        if enableBeginFrameControl is not None:
            params["enableBeginFrameControl"] = enableBeginFrameControl
        if newWindow is not None:
            params["newWindow"] = newWindow
        if background is not None:
            params["background"] = background
        if forTab is not None:
            params["forTab"] = forTab
        if hidden is not None:
            params["hidden"] = hidden
        if focus is not None:
            params["focus"] = focus
        return Command("Target.createTarget", params)

    @staticmethod
    def detachFromTarget(
        *,
        sessionId: str | None = None,
        targetId: str | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {}
        if sessionId is not None:
            params["sessionId"] = sessionId
        if targetId is not None:
            params["targetId"] = targetId
        return Command("Target.detachFromTarget", params)

    @staticmethod
    def disposeBrowserContext(*, browserContextId: str) -> Command[Empty]:
        return Command("Target.disposeBrowserContext", {"browserContextId": browserContextId})

    @staticmethod
    def getBrowserContexts() -> Command[TargetGetBrowserContextsResult]:
        return Command("Target.getBrowserContexts")

    @staticmethod
    def getTargetInfo(*, targetId: str | None = None) -> Command[TargetGetTargetInfoResult]:
        params: dict[str, Any] = {}
        if targetId is not None:
            params["targetId"] = targetId
        return Command("Target.getTargetInfo", params)

    @staticmethod
    def getTargets(
        *,
        filter: list[TargetFilterEntry] | None = None,
    ) -> Command[TargetGetTargetsResult]:
        params: dict[str, Any] = {}
        if filter is not None:
            params["filter"] = filter
        return Command("Target.getTargets", params)

    @staticmethod
    def setAutoAttach(
        *,
        autoAttach: bool,
        waitForDebuggerOnStart: bool,
        flatten: bool | None = None,
        filter: list[TargetFilterEntry] | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"autoAttach": autoAttach, "waitForDebuggerOnStart": waitForDebuggerOnStart}
        if flatten is not None:
            params["flatten"] = flatten
        if filter is not None:
            params["filter"] = filter
        return Command("Target.setAutoAttach", params)

    @staticmethod
    def setDiscoverTargets(
        *,
        discover: bool,
        filter: list[TargetFilterEntry] | None = None,
    ) -> Command[Empty]:
        params: dict[str, Any] = {"discover": discover}
        if filter is not None:
            params["filter"] = filter
        return Command("Target.setDiscoverTargets", params)
