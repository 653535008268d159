-- AlterTable
ALTER TABLE "fleet" ADD COLUMN     "configured" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
ADD COLUMN     "fixed" TEXT;

-- AlterTable
ALTER TABLE "worker" ADD COLUMN     "cordoned_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "fleet_sample" (
    "fleet_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "waiting" INTEGER NOT NULL,
    "running" INTEGER NOT NULL,
    "workers" INTEGER NOT NULL,
    "slots" INTEGER NOT NULL,

    CONSTRAINT "fleet_sample_pkey" PRIMARY KEY ("fleet_id","at")
);

-- AddForeignKey
ALTER TABLE "fleet_sample" ADD CONSTRAINT "fleet_sample_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;
