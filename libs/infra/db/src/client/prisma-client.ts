import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../generated/client.ts';
import type { Pool } from './pg-pool.ts';

/** Prisma client for management data, on the same pool as the hot path. */
export const createPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({
    adapter: new PrismaPg(pool),
    // Errors are logged without excerpts of the source.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  });

/** Returns whether a statement violated a unique constraint. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

/** Converts a contract value to a JSON column: drops undefined fields. */
export const toJsonValue = (value: unknown): Prisma.InputJsonValue =>
  JSON.parse(JSON.stringify(value)) as Prisma.InputJsonValue;

/** A stored definition. It was validated on arrival, and every version of Pilothouse reads those of earlier versions. */
export const storedDefinition = (value: unknown): WorkflowDefinition => value as WorkflowDefinition;

/** Escapes the wildcards of LIKE. Prisma adds them around a text, but does not escape those inside. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
