-- Uploads that a person gave to file choosers of a run: its worker may fetch them.
ALTER TABLE "wheel" ADD COLUMN "files" UUID[] DEFAULT ARRAY[]::UUID[];
