-- What was read in a file of a batch goes with the decision
-- Since the text is kept for the matching desk it leaves the row when nobody has to decide any more; files decided on before still have it.
update report_upload_file set reading = reading - 'wholeContent' - 'content'
where status_code <> 'HELD' and reading ?| array['wholeContent', 'content'];
