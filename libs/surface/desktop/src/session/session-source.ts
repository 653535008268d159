import type { EgressProxy } from '@pilothouse/core/ports/egress.port';
import type { SlotLoss } from '@pilothouse/core/ports/surface.port';
import type { SessionSettings } from '../process/session-settings.ts';
import type { SessionClient } from './session-client.ts';

/** A started session that no run uses yet. */
export interface PreparedSession {
  readonly client: SessionClient;
  /** Blocks everything until a run is bound to it; null without egress control. */
  readonly egressProxy: EgressProxy | null;
  /** Ends the session and removes everything of it. Never throws. */
  end(): Promise<void>;
}

/** Starts sessions where they run: on this machine, or in the slots of a pod. */
export interface SessionSource {
  /** Slots that are lost; undefined: there are none that can be. */
  readonly slotLoss?: SlotLoss;
  /** False: `start` waits until a session ends. */
  readonly hasFreeSlot: boolean;
  /**
   * @param settings default: those of `defaultSessionOptions`
   * @param signal of the run that waits for the session; ends the start
   * @throws PilothouseError SURFACE_UNAVAILABLE; the reason of the signal; nothing stays behind
   */
  start(settings?: SessionSettings, signal?: AbortSignal): Promise<PreparedSession>;
  /** Called after all its sessions have ended. */
  close(): Promise<void>;
}
