import type { WorkflowDefinition } from '@pilothouse/contract';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../generated/client.ts';
import type { Pool } from './pg-pool.ts';

/** The client for what people read and manage, over the pool that the hot path uses too. */
export const createPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({
    adapter: new PrismaPg(pool),
    // Errors go to the log: without pieces of our source.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  });

/** Returns whether a statement violated a unique constraint. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

/** A value of the contract as a JSON column takes it: without what is undefined. */
export const toJsonValue = (value: unknown): Prisma.InputJsonValue =>
  JSON.parse(JSON.stringify(value)) as Prisma.InputJsonValue;

/** A definition that is stored. It was checked when it came, and every version of the product reads those of its forerunners. */
export const storedDefinition = (stored: unknown): WorkflowDefinition => stored as WorkflowDefinition;
