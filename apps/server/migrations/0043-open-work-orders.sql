-- Every order of a tab of the laboratory from an index
-- Open work is a few thousand rows among a million. In an order that only an index over all requisitions holds, the planner walks through years of
-- billed ones (measured: 2 s), and where that index was hidden from it, it sorted the whole tab for each page. These hold open work alone.
create index requisition_list_open_tab_dob on requisition_list (tab_code, patient_dob, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_physician on requisition_list (tab_code, physician_key, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_client on requisition_list (tab_code, client_key, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_sales_rep on requisition_list (tab_code, sales_rep_code, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_test_codes on requisition_list (tab_code, test_codes, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_bill_type on requisition_list (tab_code, bill_type_code, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_received on requisition_list (tab_code, received_at, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_logged on requisition_list (tab_code, logged_at, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_delivered on requisition_list (tab_code, delivered_at, requisition_id) where tab_code <> 'BILL';
