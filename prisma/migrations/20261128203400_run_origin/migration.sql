-- AlterTable
ALTER TABLE "run" ADD COLUMN     "origin" JSONB NOT NULL DEFAULT '{"kind": "api", "idempotencyKey": null}';
