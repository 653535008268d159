-- CreateTable
CREATE TABLE "wheel" (
    "run_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "token" SERIAL NOT NULL,
    "holder" UUID NOT NULL,
    "driver" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "inputs" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "wheel_pkey" PRIMARY KEY ("run_id")
);
