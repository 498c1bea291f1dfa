-- To whom a report was sent, by number
-- Neither a name nor an address tells whether the one who has an earlier version is still a receiver: the client (CLIENT, COPY) or the collaborator
-- (COLA) of a row of the ledger. Not known of what was sent before this.
alter table report_delivery add column party_id int;
