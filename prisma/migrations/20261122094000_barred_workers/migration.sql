-- CreateTable
CREATE TABLE "barred_worker" (
    "fleet_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "barred_worker_pkey" PRIMARY KEY ("fleet_id","name")
);

-- AddForeignKey
ALTER TABLE "barred_worker" ADD CONSTRAINT "barred_worker_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;
