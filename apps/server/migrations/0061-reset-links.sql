-- A reset link is found by itself, whatever name is typed beside it

create index on identity_challenge (code_hash) where kind = 'RESET';
