-- CreateTable
CREATE TABLE "fleet_condition" (
    "fleet_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_condition_pkey" PRIMARY KEY ("fleet_id","reason")
);

-- AddForeignKey
ALTER TABLE "fleet_condition" ADD CONSTRAINT "fleet_condition_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;
