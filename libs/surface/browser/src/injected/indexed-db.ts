/// <reference lib="dom" />

/*
 * Databases of IndexedDB as JSON, and back. Both functions are sent to the page as text: each uses its arguments and the globals of a
 * page. What JSON cannot say is `{ $: kind, v }`; an object that has a `$` of its own is of the kind `object`.
 */

/** A value as JSON. */
type Coded = unknown;

interface Index {
  readonly name: string;
  readonly keyPath: string | string[];
  readonly unique: boolean;
  readonly multiEntry: boolean;
}

interface Store {
  readonly name: string;
  readonly keyPath: string | string[] | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly Index[];
  /** Keys are null where they are in the value. */
  readonly records: readonly (readonly [key: Coded, value: Coded])[];
}

/** A database of IndexedDB. */
export interface IndexedDbDatabase {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly Store[];
}

/** What was read, and how many records of it JSON cannot say: they hold files, or keys of WebCrypto. */
export interface IndexedDbDump {
  readonly databases: IndexedDbDatabase[];
  readonly left: number;
}

/**
 * Runs in the page: all databases of its origin.
 * @param most characters of JSON
 * @returns null when they are larger, or cannot be read
 */
export async function readDatabases(most: number): Promise<IndexedDbDump | null> {
  const DEEPEST = 100;
  let size = 0;
  let left = 0;

  const bytes = (of: ArrayBuffer | ArrayBufferView): string => {
    const all = ArrayBuffer.isView(of) ? new Uint8Array(of.buffer, of.byteOffset, of.byteLength) : new Uint8Array(of);
    let text = '';
    for (const one of all) text += String.fromCharCode(one);
    return btoa(text);
  };

  const code = (value: unknown, depth = 0): Coded => {
    if (depth > DEEPEST) throw new Error('deep');
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number')
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $: 'number', v: Object.is(value, -0) ? '-0' : String(value) };
    if (value === undefined) return { $: 'undefined' };
    if (typeof value === 'bigint') return { $: 'bigint', v: String(value) };
    const inner = (one: unknown) => code(one, depth + 1);
    if (Array.isArray(value)) return value.map(inner);
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind === 'Date') return { $: 'date', v: Number(value) };
    if (kind === 'RegExp') return { $: 'regexp', v: [(value as RegExp).source, (value as RegExp).flags] };
    if (kind === 'Map') return { $: 'map', v: [...(value as Map<unknown, unknown>)].map((pair) => pair.map(inner)) };
    if (kind === 'Set') return { $: 'set', v: [...(value as Set<unknown>)].map(inner) };
    if (kind === 'ArrayBuffer' || ArrayBuffer.isView(value))
      return { $: 'bytes', v: [kind, bytes(value as ArrayBuffer)] };
    if (kind !== 'Object') throw new Error(kind);
    const fields = Object.entries(value as object).map(([name, one]) => [name, inner(one)] as const);
    return fields.some(([name]) => name === '$' || name === '__proto__')
      ? { $: 'object', v: fields }
      : Object.fromEntries(fields);
  };

  const answer = <Result>(request: IDBRequest<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
      request.addEventListener('blocked', () => reject(new Error('blocked')));
    });

  const recordsOf = (store: IDBObjectStore): Promise<[Coded, Coded][]> =>
    new Promise((resolve, reject) => {
      const records: [Coded, Coded][] = [];
      const request = store.openCursor();
      request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
      request.addEventListener('success', () => {
        const cursor = request.result;
        if (!cursor) return resolve(records);
        let record: [Coded, Coded] | null = null;
        try {
          record = [store.keyPath === null ? code(cursor.primaryKey) : null, code(cursor.value)];
        } catch {
          left += 1;
        }
        if (record) {
          size += JSON.stringify(record).length;
          records.push(record);
        }
        if (size > most) return reject(new Error('large'));
        cursor.continue();
      });
    });

  const storeOf = async (store: IDBObjectStore): Promise<Store> => {
    const { name, autoIncrement } = store;
    const indexes = [...store.indexNames].map((of) => {
      const { keyPath, unique, multiEntry } = store.index(of);
      return { name: of, keyPath, unique, multiEntry };
    });
    return {
      name,
      keyPath: store.keyPath as Store['keyPath'],
      autoIncrement,
      indexes,
      records: await recordsOf(store),
    };
  };

  const all = async (): Promise<IndexedDbDump> => {
    const databases: IndexedDbDatabase[] = [];
    for (const { name, version } of await indexedDB.databases()) {
      if (!name || !version) continue;
      const database = await answer(indexedDB.open(name));
      // A page that wants another version does not wait for this.
      database.addEventListener('versionchange', () => database.close());
      try {
        const names = [...database.objectStoreNames];
        const within = names.length > 0 ? database.transaction(names, 'readonly') : null;
        const stores = await Promise.all(names.flatMap((one) => (within ? [storeOf(within.objectStore(one))] : [])));
        databases.push({ name, version, stores });
      } finally {
        database.close();
      }
    }
    return { databases, left };
  };

  return all().catch(() => null);
}

/** Runs in the page: makes databases, and fills them. @throws what the browser does not take */
export async function restoreDatabases(databases: readonly IndexedDbDatabase[]): Promise<void> {
  const bytes = (text: string): ArrayBuffer => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer;
  const views: Readonly<Record<string, new (buffer: ArrayBuffer) => unknown>> = {
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
    DataView,
  };

  const value = (coded: Coded): unknown => {
    if (coded === null || typeof coded !== 'object') return coded;
    if (Array.isArray(coded)) return coded.map(value);
    if (!('$' in coded)) return Object.fromEntries(Object.entries(coded).map(([name, one]) => [name, value(one)]));
    const { $: kind, v } = coded as { $: string; v: never };
    if (kind === 'number') return Number(v);
    if (kind === 'bigint') return BigInt(v);
    if (kind === 'date') return new Date(v);
    if (kind === 'regexp') return new RegExp(...(v as [string, string]));
    if (kind === 'map') return new Map((v as [Coded, Coded][]).map(([key, one]) => [value(key), value(one)]));
    if (kind === 'set') return new Set((v as Coded[]).map(value));
    if (kind === 'object') return Object.fromEntries((v as [string, Coded][]).map(([name, one]) => [name, value(one)]));
    if (kind !== 'bytes') return undefined;
    const [name, text] = v as [string, string];
    const view = views[name];
    return view ? new view(bytes(text)) : bytes(text);
  };

  const fill = ({ name, version, stores }: IndexedDbDatabase): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = indexedDB.open(name, version);
      const refused = () => reject(request.error ?? new Error('A database is refused'));
      request.addEventListener('error', refused);
      request.addEventListener('blocked', refused);
      request.addEventListener('upgradeneeded', () => {
        for (const { name: of, keyPath, autoIncrement, indexes, records } of stores) {
          const store = request.result.createObjectStore(of, { keyPath, autoIncrement });
          for (const { name: index, keyPath: on, unique, multiEntry } of indexes)
            store.createIndex(index, on, { unique, multiEntry });
          for (const [key, one] of records) {
            if (keyPath === null) store.add(value(one), value(key) as IDBValidKey);
            else store.add(value(one));
          }
        }
      });
      request.addEventListener('success', () => {
        request.result.close();
        resolve();
      });
    });

  for (const one of databases) await fill(one);
}
