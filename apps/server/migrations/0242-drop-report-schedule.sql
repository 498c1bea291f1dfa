-- Foundation
-- Never used.
drop table report_schedule;
