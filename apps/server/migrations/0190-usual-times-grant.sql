-- Laboratories
-- The server measures the usual times itself, with the rights of its own role.
grant execute on function stage_usual_measure() to lis_app;
