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

  const bytes = (buffer: ArrayBuffer | ArrayBufferView): string => {
    const readAll = ArrayBuffer.isView(buffer)
      ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
      : new Uint8Array(buffer);
    let text = '';
    for (const byte of readAll) text += String.fromCharCode(byte);
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
    const inner = (item: unknown) => encode(item, depth + 1);
    if (Array.isArray(value)) return value.map(inner);
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind === 'Date') return { $: 'date', v: Number(value) };
    if (kind === 'RegExp') return { $: 'regexp', v: [(value as RegExp).source, (value as RegExp).flags] };
    if (kind === 'Map') return { $: 'map', v: [...(value as Map<unknown, unknown>)].map((pair) => pair.map(inner)) };
    if (kind === 'Set') return { $: 'set', v: [...(value as Set<unknown>)].map(inner) };
    if (kind === 'ArrayBuffer' || ArrayBuffer.isView(value))
      return { $: 'bytes', v: [kind, bytes(value as ArrayBuffer)] };
    if (kind !== 'Object') throw new Error(kind);
    const fields = Object.entries(value as object).map(([name, field]) => [name, inner(field)] as const);
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
    const indexes = [...store.indexNames].map((indexName) => {
      const { keyPath, unique, multiEntry } = store.index(indexName);
      return { name: indexName, keyPath, unique, multiEntry };
    });
    return {
      name,
      keyPath: store.keyPath as Store['keyPath'],
      autoIncrement,
      indexes,
      records: await readRecords(store),
    };
  };

  const readDump = async (): Promise<IndexedDbDump> => {
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
          names.flatMap((storeName) => (transaction ? [readStore(transaction.objectStore(storeName))] : [])),
        );
        databases.push({ name, version, stores });
      } finally {
        database.close();
      }
    }
    return { databases, skippedRecords };
  };

  return readDump().catch(() => null);
}

/** Creates and fills databases. Runs in the page. @throws the error of the browser if it rejects the content */
export async function restoreDatabases(databases: readonly IndexedDbDatabase[]): Promise<void> {
  const bytes = (text: string): ArrayBuffer =>
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
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
    if (!('$' in encoded))
      return Object.fromEntries(Object.entries(encoded).map(([name, field]) => [name, decode(field)]));
    const { $: kind, v } = encoded as { $: string; v: never };
    if (kind === 'number') return Number(v);
    if (kind === 'bigint') return BigInt(v);
    if (kind === 'date') return new Date(v);
    if (kind === 'regexp') return new RegExp(...(v as [string, string]));
    if (kind === 'map')
      return new Map((v as [EncodedValue, EncodedValue][]).map(([key, item]) => [decode(key), decode(item)]));
    if (kind === 'set') return new Set((v as EncodedValue[]).map(decode));
    if (kind === 'object')
      return Object.fromEntries((v as [string, EncodedValue][]).map(([name, field]) => [name, decode(field)]));
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
        for (const { name: storeName, keyPath, autoIncrement, indexes, records } of stores) {
          const store = request.result.createObjectStore(storeName, { keyPath, autoIncrement });
          for (const { name: index, keyPath: on, unique, multiEntry } of indexes)
            store.createIndex(index, on, { unique, multiEntry });
          for (const [key, record] of records) {
            if (keyPath === null) store.add(decode(record), decode(key) as IDBValidKey);
            else store.add(decode(record));
          }
        }
      });
      request.addEventListener('success', () => {
        request.result.close();
        resolve();
      });
    });

  for (const database of databases) await restore(database);
}
