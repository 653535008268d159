import type { Deadline } from '@pilothouse/core/time/deadlines';

/** A DOM node as the browser describes it. */
interface CdpNode {
  readonly backendNodeId: number;
  readonly frameId?: string;
  readonly shadowRoots?: readonly { readonly backendNodeId: number; readonly shadowRootType?: string }[];
}

/** A value of the page, or a reference to one. */
interface RemoteValue {
  readonly value?: unknown;
  readonly objectId?: string;
}

/** Parameters and result of the commands that read a page (Chrome DevTools Protocol). */
export interface CdpCommands {
  'Runtime.enable': { params: undefined; result: unknown };
  'Runtime.evaluate': {
    params: {
      expression: string;
      contextId?: number;
      returnByValue?: boolean;
      awaitPromise?: boolean;
      includeCommandLineAPI?: boolean;
      silent?: boolean;
    };
    result: {
      readonly result: RemoteValue;
      readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
    };
  };
  'Runtime.callFunctionOn': { params: { objectId: string; functionDeclaration: string }; result: unknown };
  'Page.getFrameTree': {
    params: undefined;
    result: { readonly frameTree: { readonly frame: { readonly id: string } } };
  };
  'Page.createIsolatedWorld': {
    params: { frameId: string; worldName: string; grantUniveralAccess: boolean };
    result: { readonly executionContextId: number };
  };
  'DOM.describeNode': { params: { objectId: string }; result: { readonly node: CdpNode } };
  'DOM.resolveNode': {
    params: { backendNodeId: number; executionContextId: number };
    result: { readonly object: RemoteValue };
  };
  'DOMDebugger.getEventListeners': {
    params: { objectId: string; depth: number; pierce: boolean };
    result: { readonly listeners: readonly { readonly type: string; readonly backendNodeId?: number }[] };
  };
}

/** Data of execution-context events. */
export interface CdpEvents {
  'Runtime.executionContextCreated': {
    readonly context: { readonly id: number; readonly auxData?: object };
  };
  'Runtime.executionContextDestroyed': { readonly executionContextId: number };
  'Runtime.executionContextsCleared': undefined;
}

/** Deadline of a command, and the activity that its timeout message can name. */
export interface ReadLimit {
  readonly deadline: Deadline;
  readonly activity: string;
}

/** A connection to one process of a page. Each surface implements it over its own connection. */
export interface CdpSession {
  /**
   * @param limit by default the session decides how long it waits
   * @throws the error of the browser; at the deadline an error that is not a protocol error
   */
  send<Method extends keyof CdpCommands>(
    method: Method,
    params?: CdpCommands[Method]['params'],
    limit?: ReadLimit,
  ): Promise<CdpCommands[Method]['result']>;
  on<Event extends keyof CdpEvents>(event: Event, listener: (data: CdpEvents[Event]) => void): void;
  /** True for an error of the browser, for example because the document was replaced. */
  isProtocolError(error: unknown): boolean;
}
