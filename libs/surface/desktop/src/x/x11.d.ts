/** Types for the part of npm `x11` that this package uses. */
declare module 'x11' {
  type Reply<T> = (error: Error | null | undefined, value: T) => void;

  export interface PropertyValue {
    readonly type: number;
    readonly bytesAfter: number;
    readonly data: Buffer;
  }

  export interface XEvent {
    readonly name: string;
    readonly type: number;
    /** Window of most events. */
    readonly wid?: number;
    readonly [field: string]: unknown;
  }

  export interface XClient {
    readonly stream: NodeJS.EventEmitter & { destroy(): void };
    on(event: 'event', listener: (event: XEvent) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'end', listener: () => void): this;
    off(event: string, listener: (...args: never[]) => void): this;
    AllocID(): number;
    terminate(): void;
    require(name: 'xtest', reply: Reply<XTest>): void;
    require(name: 'shm', reply: Reply<XShm>): void;
    require(name: 'damage', reply: Reply<XDamage>): void;
    InternAtom(onlyIfExists: boolean, name: string, reply: Reply<number>): void;
    GetAtomName(atom: number, reply: Reply<string>): void;
    GetProperty(
      isDeleted: 0 | 1,
      window: number,
      property: number,
      type: number,
      offset: number,
      length: number,
      reply: Reply<PropertyValue>,
    ): void;
    /** @param mode 0 replaces; @param units bits of an item */
    ChangeProperty(mode: 0, window: number, property: number, type: number, units: 8 | 16 | 32, data: Buffer): void;
    DeleteProperty(window: number, property: number): void;
    ChangeWindowAttributes(window: number, values: { eventMask: number }): void;
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      width: number,
      height: number,
      borderWidth: number,
      depth: number,
      windowClass: number,
      visual: number,
      values: { eventMask?: number; overrideRedirect?: boolean },
    ): void;
    DestroyWindow(window: number): void;
    QueryTree(window: number, reply: Reply<{ root: number; parent: number; children: number[] }>): void;
    GetGeometry(
      drawable: number,
      reply: Reply<{ xPos: number; yPos: number; width: number; height: number; borderWidth: number }>,
    ): void;
    GetWindowAttributes(window: number, reply: Reply<{ mapState: number; overrideRedirect: number }>): void;
    TranslateCoordinates(
      source: number,
      target: number,
      x: number,
      y: number,
      reply: Reply<{ child: number; destX: number; destY: number }>,
    ): void;
    QueryPointer(
      window: number,
      reply: Reply<{ child: number; rootX: number; rootY: number; childX: number; childY: number; keyMask: number }>,
    ): void;
    GetInputFocus(reply: Reply<{ focus: number; revertTo: number }>): void;
    GetKeyboardMapping(first: number, count: number, reply: Reply<number[][]>): void;
    ChangeKeyboardMapping(first: number, keysymsPerKeycode: number, keysyms: readonly number[]): void;
    GetModifierMapping(reply: Reply<number[][]>): void;
    SetSelectionOwner(window: number, selection: number, time: number): void;
    GetSelectionOwner(selection: number, reply: Reply<number>): void;
    ConvertSelection(window: number, selection: number, target: number, property: number, time: number): void;
    SendEvent(window: number, propagate: 0 | 1, eventMask: number, event: Buffer | object): void;
    SendClientMessage(
      destination: number,
      window: number,
      messageType: number,
      format: 8 | 16 | 32,
      data: readonly number[],
      eventMask?: number,
    ): void;
    GetImage(
      format: 2,
      drawable: number,
      x: number,
      y: number,
      width: number,
      height: number,
      planeMask: number,
      reply: Reply<{ depth: number; visualId: number; data: Buffer }>,
    ): void;
  }

  export interface XTest {
    readonly KeyPress: 2;
    readonly KeyRelease: 3;
    readonly ButtonPress: 4;
    readonly ButtonRelease: 5;
    readonly MotionNotify: 6;
    FakeInput(type: number, detail: number, time: number, root: number, x: number, y: number): void;
  }

  export interface XShm {
    usable(reply: Reply<boolean>): void;
    createSegment(size: number, reply: Reply<XShmSegment>): void;
  }

  export interface XShmSegment {
    readonly buffer: Buffer;
    getImage(
      drawable: number,
      x: number,
      y: number,
      width: number,
      height: number,
      planeMask: number,
      format: number | null,
      offset: number,
      reply: Reply<{ depth: number; visual: number; size: number }>,
    ): void;
    detach(reply?: () => void): void;
  }

  export interface XDamage {
    readonly ReportLevel: { readonly DeltaRectangles: 1; readonly NonEmpty: 3 };
    Create(damage: number, drawable: number, level: number): void;
    Subtract(damage: number, repair: number, parts: number): void;
    Destroy(damage: number): void;
  }

  export interface XDisplay {
    readonly client: XClient;
    readonly screen: readonly { readonly root: number; readonly pixel_width: number; readonly pixel_height: number }[];
    readonly min_keycode: number;
    readonly max_keycode: number;
  }

  export function createClient(
    options: { display: string; xAuthority?: string },
    ready: (error: Error | null | undefined, display: XDisplay) => void,
  ): XClient;

  const x11: { createClient: typeof createClient };
  export default x11;
}
