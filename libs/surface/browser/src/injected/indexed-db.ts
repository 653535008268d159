/// <reference lib="dom" />

// Converts IndexedDB databases to JSON and back. Both functions are sent to the page as source and may use only their
// arguments and the globals of the page. Values outside of JSON are encoded as `{ $: kind, v }`. An object with its
// own `$` key has the kind `object`.

/** Value as JSON. */
type EncodedValue = unknown;

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
  /** The key is null if it is part of the value. */
  readonly records: readonly (readonly [key: EncodedValue, value: EncodedValue])[];
}

/** IndexedDB database. */
export interface IndexedDbDatabase {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly Store[];
}

/** Databases, and the number of records that JSON cannot represent because they contain files or WebCrypto keys. */
export interface IndexedDbDump {
  readonly databases: IndexedDbDatabase[];
  readonly skippedRecords: number;
}

/**
 * Reads all databases of the origin. Runs in the page.
 * @param maxChars maximum size of the JSON in characters
 * @returns null if the databases are larger or cannot be read
 */
export async function readDatabases(maxChars: number): Promise<IndexedDbDump | null> {
  const MAX_DEPTH = 100;
  let size = 0;
  let skippedRecords = 0;

  const bytes = (of: ArrayBuffer | ArrayBufferView): string => {
    const readAll = ArrayBuffer.isView(of)
      ? new Uint8Array(of.buffer, of.byteOffset, of.byteLength)
      : new Uint8Array(of);
    let text = '';
    for (const one of readAll) text += String.fromCharCode(one);
    return btoa(text);
  };

  const encode = (value: unknown, depth = 0): EncodedValue => {
    if (depth > MAX_DEPTH) throw new Error('deep');
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number')
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $: 'number', v: Object.is(value, -0) ? '-0' : String(value) };
    if (value === undefined) return { $: 'undefined' };
    if (typeof value === 'bigint') return { $: 'bigint', v: String(value) };
    const inner = (one: unknown) => encode(one, depth + 1);
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

  const requestResult = <Result>(request: IDBRequest<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
      request.addEventListener('blocked', () => reject(new Error('blocked')));
    });

  const readRecords = (store: IDBObjectStore): Promise<[EncodedValue, EncodedValue][]> =>
    new Promise((resolve, reject) => {
      const records: [EncodedValue, EncodedValue][] = [];
      const request = store.openCursor();
      request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
      request.addEventListener('success', () => {
        const cursor = request.result;
        if (!cursor) return resolve(records);
        let record: [EncodedValue, EncodedValue] | null = null;
        try {
          record = [store.keyPath === null ? encode(cursor.primaryKey) : null, encode(cursor.value)];
        } catch {
          skippedRecords += 1;
        }
        if (record) {
          size += JSON.stringify(record).length;
          records.push(record);
        }
        if (size > maxChars) return reject(new Error('large'));
        cursor.continue();
      });
    });

  const readStore = async (store: IDBObjectStore): Promise<Store> => {
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
      records: await readRecords(store),
    };
  };

  const all = async (): Promise<IndexedDbDump> => {
    const databases: IndexedDbDatabase[] = [];
    for (const { name, version } of await indexedDB.databases()) {
      if (!name || !version) continue;
      const database = await requestResult(indexedDB.open(name));
      // Do not block a page that requests another version.
      database.addEventListener('versionchange', () => database.close());
      try {
        const names = [...database.objectStoreNames];
        const transaction = names.length > 0 ? database.transaction(names, 'readonly') : null;
        const stores = await Promise.all(
          names.flatMap((one) => (transaction ? [readStore(transaction.objectStore(one))] : [])),
        );
        databases.push({ name, version, stores });
      } finally {
        database.close();
      }
    }
    return { databases, skippedRecords };
  };

  return all().catch(() => null);
}

/** Creates and fills databases. Runs in the page. @throws the error of the browser if it rejects the content */
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

  const decode = (encoded: EncodedValue): unknown => {
    if (encoded === null || typeof encoded !== 'object') return encoded;
    if (Array.isArray(encoded)) return encoded.map(decode);
    if (!('$' in encoded)) return Object.fromEntries(Object.entries(encoded).map(([name, one]) => [name, decode(one)]));
    const { $: kind, v } = encoded as { $: string; v: never };
    if (kind === 'number') return Number(v);
    if (kind === 'bigint') return BigInt(v);
    if (kind === 'date') return new Date(v);
    if (kind === 'regexp') return new RegExp(...(v as [string, string]));
    if (kind === 'map')
      return new Map((v as [EncodedValue, EncodedValue][]).map(([key, one]) => [decode(key), decode(one)]));
    if (kind === 'set') return new Set((v as EncodedValue[]).map(decode));
    if (kind === 'object')
      return Object.fromEntries((v as [string, EncodedValue][]).map(([name, one]) => [name, decode(one)]));
    if (kind !== 'bytes') return undefined;
    const [name, text] = v as [string, string];
    const view = views[name];
    return view ? new view(bytes(text)) : bytes(text);
  };

  const restore = ({ name, version, stores }: IndexedDbDatabase): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = indexedDB.open(name, version);
      const onError = () => reject(request.error ?? new Error('IndexedDB request failed'));
      request.addEventListener('error', onError);
      request.addEventListener('blocked', onError);
      request.addEventListener('upgradeneeded', () => {
        for (const { name: of, keyPath, autoIncrement, indexes, records } of stores) {
          const store = request.result.createObjectStore(of, { keyPath, autoIncrement });
          for (const { name: index, keyPath: on, unique, multiEntry } of indexes)
            store.createIndex(index, on, { unique, multiEntry });
          for (const [key, one] of records) {
            if (keyPath === null) store.add(decode(one), decode(key) as IDBValidKey);
            else store.add(decode(one));
          }
        }
      });
      request.addEventListener('success', () => {
        request.result.close();
        resolve();
      });
    });

  for (const one of databases) await restore(one);
}
