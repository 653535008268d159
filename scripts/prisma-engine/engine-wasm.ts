/** Loads Prisma's schema engine, compiled to WebAssembly, into this process. */
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The part of the standard WebAssembly API used here; TypeScript knows it only together with the browser's types. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, () => void> } }>;
};

/** A panicking engine leaves its message with this global object, then traps. Prisma's client sets the same one. */
interface PanicRegistry {
  message?: string;
  set_message(message: string): void;
}

const panicKey = 'PRISMA_WASM_PANIC_REGISTRY';

function panicRegistry(): PanicRegistry {
  const holder = globalThis as { [panicKey]?: PanicRegistry };
  return (holder[panicKey] ??= {
    set_message(message) {
      this.message = message;
    },
  });
}

/**
 * Functions that the engine calls. A timer ends its wait for the lock after 10 s, and must not keep a finished process alive.
 */
function imports(): Record<string, unknown> {
  const setTimer = (callback: () => void, ms: number) => setTimeout(callback, ms).unref();
  return Object.fromEntries(
    Object.entries(bindings).map(([name, value]) => [name, name.startsWith('__wbg_setTimeout_') ? setTimer : value]),
  );
}

/**
 * Loads the `.wasm` file by hand. The package's own entry imports it as a module, which some runtimes and test runners
 * do not support.
 */
async function load(): Promise<typeof bindings> {
  panicRegistry();
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(join(dirname(entry), 'schema_engine_bg.wasm')), {
    './schema_engine_bg.js': imports(),
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports['__wbindgen_start']?.();
  return bindings;
}

let loading: Promise<typeof bindings> | undefined;

/** The engine's bindings. The 5 MB module is compiled once a process. */
export function loadSchemaEngine(): Promise<typeof bindings> {
  return (loading ??= load());
}

/** Returns and clears the message of the last panic of the engine. */
export function consumePanicMessage(): string | undefined {
  const registry = panicRegistry();
  const { message } = registry;
  delete registry.message;
  return message;
}
