-- A file made elsewhere is released on lab QC's word that it agrees with the record, and the record may have been corrected since the file
-- came. What it said at that release, where that is something else than the version keeps: HL7 messages and later corrections go by it.
alter table report_event add column content jsonb;
