-- AlterTable
ALTER TABLE "fleet" ADD COLUMN     "external_workers" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "worker_join" (
    "token_hash" TEXT NOT NULL,
    "fleet_id" UUID NOT NULL,
    "worker_name" TEXT NOT NULL,
    "key_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "worker_join_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "worker_join_key_hash_key" ON "worker_join"("key_hash");

-- CreateIndex
CREATE INDEX "worker_join_fleet_id_worker_name_idx" ON "worker_join"("fleet_id", "worker_name");

-- AddForeignKey
ALTER TABLE "worker_join" ADD CONSTRAINT "worker_join_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;
