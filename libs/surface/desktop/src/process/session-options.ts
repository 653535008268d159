/** Settings of a desktop session. */
export interface SessionOptions {
  /** Folder of the session: home, runtime folder and cookie are below it. The caller removes it. */
  readonly folder: string;
  /** Variables that every process of the session has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Pixels of the screen. */
  readonly width: number;
  readonly height: number;
  /** Dots per inch that applications scale to. */
  readonly dpi: number;
  /** POSIX locale, e.g. `de_DE.UTF-8`. The machine must have it. */
  readonly locale: string;
  /** IANA time zone, e.g. `Europe/Berlin`. */
  readonly timezoneId: string;
  /** XKB layout with an optional variant, e.g. `us(dvorak)`. */
  readonly keyboardLayout: string;
  /** Commands that the operator allows: program and arguments, by name. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** Egress proxy of the session; null: programs connect directly. */
  readonly egress: SessionEgress | null;
  /** Megabytes of memory of all processes together. Above it the session ends. */
  readonly maxMemoryMb: number;
}

export const defaultSessionOptions = {
  width: 1280,
  height: 800,
  dpi: 96,
  locale: 'C.UTF-8',
  timezoneId: 'UTC',
  keyboardLayout: 'us',
  commands: {},
  maxMemoryMb: 2_048,
} as const satisfies Omit<SessionOptions, 'folder' | 'environment' | 'egress'>;

/** Address of a session's egress proxy, for HTTP and CONNECT. */
export interface SessionEgress {
  /** Port of the proxy on 127.0.0.1; with `socket`, the same port in the network of the session. */
  readonly port: number;
  /** Path of a socket that leads to the proxy; null: the session shares the network of the worker. */
  readonly socket: string | null;
}
