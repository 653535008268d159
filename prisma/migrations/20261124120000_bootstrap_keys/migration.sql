-- The admin key of the configuration is known by a field: a user may give any name to a key.
-- AlterTable
ALTER TABLE "api_key" ADD COLUMN "bootstrap" BOOLEAN NOT NULL DEFAULT false;

UPDATE "api_key" SET "bootstrap" = true WHERE "name" = 'bootstrap' AND "role" = 'admin';
