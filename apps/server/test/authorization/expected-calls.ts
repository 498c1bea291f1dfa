/**
 * Who may make which call, written down by hand from the specification (part 1 §2 and §6, part 2 §6) and its decisions §1, on purpose not from
 * the permission table of the product: the two must agree. A call that is not here fails the test.
 */
const groups: Record<string, string> = {
  // ── everyone, also without a session: signing in, the links of e-mails
  everybody: `
GET config
GET boards/view/:key
POST login
POST mfa/login
PUT mfa/forgot_pwd/:username
PUT mfa/confirm_pwd
PUT mfa/check_link
PUT mfa/profile/chg_exp_pwd
PUT users/:token/unsubscribe
PUT users/:token/resubscribe`,

  // ── every session, also of a guest: log-out, and one's own drafts
  'ADM MGMT STF SLS BILL COLA CLNT PHYS GST': `
PUT mfa/logout/:userId
GET drafts/:form/:recordKey
PUT drafts/:form/:recordKey/:draftId
DELETE drafts/:form/:recordKey/:draftId`,

  // ── registered: home, profile, requisition list, reports of a requisition, the reports pages, uploads to look at, choices of forms and filters
  // ── Home of practices, physicians and collaborators, and of sales
  'COLA CLNT PHYS': `
GET home/new_results
GET home/wanted
PUT home/reviewed`,
  'CLNT PHYS': `
GET portal_orders/options
GET requisitions/tab_counts
GET portal_orders/patients
POST portal_orders
POST portal_orders/:id/print`,
  SLS: `
GET home/clients`,

  'ADM MGMT STF SLS BILL COLA CLNT PHYS': `
PUT mfa/profile/chg_pwd
PUT mfa/profile/:userId
GET mfa/profile/sessions
DELETE mfa/profile/sessions/:sessionId
GET users/:id
GET lovs/:type
GET reasons/PASS
GET reasons/FAIL
GET labs
GET countries
GET countries/:id/states
GET states
GET flags
GET depts
GET issue_types
GET req_status_types
GET lab_note_types
GET ins_co
GET icds
GET default_tests
GET programs
GET roles
GET jobs/:id
PUT jobs/:id/cancel
GET home
GET home/counts
GET undo_actions
POST undo_actions/:id/undo
GET insights
GET smart_filters/:id/alert
PUT smart_filters/:id/alert
DELETE smart_filters/:id/alert
GET users/:userId/alerts
POST users/:userId/alerts/:id/read
GET schedules
POST schedules
PUT schedules/:id
DELETE schedules/:id
POST schedules/:id/send
GET quick_jump
POST scans
GET scan_codes/:code
GET smart_filters
POST smart_filters
PUT smart_filters/:id
PUT smart_filters/:id/shares
PUT smart_filters/:id/mine
GET smart_filters/receivers
DELETE smart_filters/:id
GET list_settings
GET list_settings/:screen
PUT list_settings/:screen
DELETE list_settings/:screen
GET list_settings/:resource/:tab
PUT list_settings/:resource/:tab
DELETE list_settings/:resource/:tab
GET bulk_report_uploader
GET bulk_report_uploader/:id/files
GET bulk_report_uploader/:id/failed
GET clients
GET filter_dd/clients
GET clients/:id/physicians
GET clients/:id/labs
GET clients/:id/events
GET physicians
GET filter_dd/physicians
GET collaborators
GET sales
GET requisitions/:view
GET requisitions/:id/reports
GET requisitions/:id/rep_histories
GET requisitions/:id/report_versions
GET reports/:id/view
GET qa_reports
GET qa_reports/preview
POST qa_reports/download
GET summary_reports
GET summary_reports/preview
POST summary_reports/download
POST adhoc_reqs/download
POST event_reqs/download
GET report_files/:id`,

  // ── clients and physicians to look at: super admins, and a practice its own
  'ADM MGMT STF CLNT': `
GET clients/export
GET clients/:id
GET clients/:id/sales
GET clients/:id/users
GET clients/:id/docs
GET clients/:id/docs/:recordId/download
GET clients/:id/prices
GET clients/:id/histories
GET physicians/export
GET physicians/:id
GET physicians/:id/clients`,

  // ── the detail page with the tabs that clients and collaborators have
  'ADM MGMT STF SLS COLA CLNT': `
GET requisitions/:id
GET requisitions/:id/patient
GET requisitions/:id/req_tests
GET requisitions/:id/issues
GET requisitions/:id/issues/:issueId/work_logs
GET requisitions/:id/req_reasons
GET requisitions/:id/specimens
GET requisitions/:id/specimens/life_line
GET requisitions/:id/billings
GET requisitions/:id/billings/:billId/insurances
GET patients/:id/insurances
GET requisitions/:id/req_icds`,

  // ── the billing tab without the client users: billing notes, codes of earlier orders
  'ADM MGMT STF SLS COLA': `
GET requisitions/:id/bill_notes
GET requisitions/:id/prev_icds`,

  // ── the tabs that clients and collaborators do not have
  'ADM MGMT STF SLS': `
GET requisitions/:id/spec_locs
GET labs/:labId/dd_freezer
GET labs/:labId/dd_freezer/:freezer/dd_shelf
GET labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack
GET labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/dd_box
GET requisitions/:id/req_hists
GET requisitions/:id/lab_notes
GET requisitions/:id/lab_notes/histories
GET requisitions/:id/payments
GET requisitions/:id/account
GET patients/:id/docs`,

  // ── documents: the download section; collaborators see names and upload
  'ADM MGMT STF SLS BILL': `
GET requisitions/:id/docs/:docId/view
GET requisitions/:id/download_docs/:docId`,
  'ADM MGMT STF SLS BILL COLA': `
GET requisitions/:id/docs`,

  // ── super admins and collaborators: create, patients, uploads, exports, notifications, results (hidden for clients and sales)
  'ADM MGMT STF COLA': `
GET requisitions/:id/req_resulted_tests
GET requisitions/:view/export
GET requisitions/:id/req_tests/export
GET requisitions/create/presets
GET requisitions/create/tests
POST requisition_scans/init
POST requisition_scans/:scanId/read
GET requisition_scans/:scanId
GET requisition_scans/:scanId/pieces/:n
POST requisitions
GET patients
PUT requisitions/:id/patients/:patientId
PUT requisitions/:id/patients/:patientId/identity
POST requisitions/:id/patients/:patientId/ssn
PUT requisitions/:id/patient_hists/:histId
POST requisitions/:id/upload
POST requisitions/:id/scanreqs
POST requisitions/:id/inscards
POST requisitions/:id/addons
POST requisitions/:id/scaneobs
POST requisitions/:id/scaninvoices
POST requisitions/:id/checks
POST bulk_report_uploader/init
POST bulk_report_uploader/:id/slot/:fileId
POST bulk_report_uploader/:id/finish/:fileId
GET users/:userId/notifications
POST users/:userId/notifications/read
POST users/:userId/notifications/:reqId/read`,

  // ── every role with the detail page, except sales, which only reads
  'ADM MGMT STF COLA CLNT': `
POST requisitions/:id/issues/:issueId/work_logs`,

  // ── downloads of reports: all but sales
  'ADM MGMT STF BILL COLA CLNT PHYS': `
POST requisitions/bulk_download
POST requisitions/:id/download`,

  // ── billing batches
  'ADM MGMT STF BILL': `
GET billing/batch
GET billing/batch/details/:id
POST billing/batch/bulk_download
POST billing/batch/details/download/:id`,

  // ── viewing as somebody else
  ADM: `
POST users/:id/view_as`,

  // ── users: the managers look and lock, management alone writes; both restore what was deleted
  'ADM MGMT': `
POST labs
PUT labs/:id
GET labs/:labId/retention_rules
PUT labs/:labId/retention_rules
POST labs/:id/signers
POST inspection_packs
PUT labs/:id/signers/:signerId
PUT labs/:id/calendar
POST tat_targets
GET boards
POST boards
DELETE boards/:id
PUT tat_targets/:id
DELETE tat_targets/:id
POST instruments
PUT instruments/:id
DELETE instruments/:id
POST autoverify_rules
PUT autoverify_rules/:id
DELETE autoverify_rules/:id
POST autoverify_rules/:id/try
PUT autoverify_rules/:id/switch
PUT autoverify/start
POST reflex_rules
PUT reflex_rules/:id
DELETE reflex_rules/:id
POST reflex_rules/:id/try
PUT reflex_rules/:id/switch
PUT instruments/:id/codes
PUT instruments/:id/controls
PUT instruments/:id/file_columns
POST qc_materials
POST qc_lots
PUT qc_lots/:id
POST qc_targets
PUT qc_plans
GET users
GET users/export
GET users/:id/why
GET access_review/export
PUT users/:id
PUT mfa/users/:id/unlock
PUT mfa/users/:id/second_factor
PUT mfa/reset_pwd/:userId
GET deleted_records
PUT deleted_records/:kind/:id/restore
GET access_log
GET patients/:id/access_log
GET patients/:id/access_log/export
POST patients/merge
POST patients/merges/:id/undo
GET patients/:id/merges
POST interfaces
PUT interfaces/:id
DELETE interfaces/:id
PUT interfaces/:id/codes
GET api_clients
GET api_clients/choices
GET api_clients/:id
POST api_clients
PUT api_clients/:id
DELETE api_clients/:id
POST api_clients/:id/rotate_secret
POST api_clients/:id/revoke
POST webhooks
PUT webhooks/:id
DELETE webhooks/:id
POST webhooks/:id/rotate_secret
POST webhooks/:id/test`,
  MGMT: `
POST mfa/users
PUT mfa/users/:id
DELETE mfa/users/:id
DELETE mfa/users/bulk_delete
DELETE mfa/users`,

  // ── super admins alone
  'ADM MGMT STF': `
GET labs/:id
GET labs/:id/signers
GET sign_out
GET sign_out/:reportId
GET sign_out/today
GET reports/:id/checks
GET reports/:id/signatures
POST requisitions/:id/dossier
POST reports/sign
POST reports/sign/code
GET critical_limits
POST critical_limits
PUT critical_limits/:id
DELETE critical_limits/:id
GET critical_calls
GET critical_calls/:id
POST critical_calls/:id/take
POST critical_calls/:id/attempts
POST critical_calls/:id/close
GET tat_targets
GET tat_targets/:id
GET labs/:id/calendar
GET instruments
GET instruments/:id
GET instruments/:id/codes
GET instruments/:id/controls
GET instruments/:id/file_columns
POST instruments/:id/files
GET instruments/:id/work_list
POST instruments/:id/work_list/print
POST instruments/:id/work_list/send
POST qc_months/print
GET instrument_messages
GET instrument_messages/:id
GET instrument_results
GET instrument_results/:id
GET review_results
GET autoverify_rules
GET reflex_rules
GET clients/:id/reflex_rules
PUT clients/:id/reflex_rules
GET autoverify
PUT autoverify/stop
POST review_results/accept
POST review_results/rerun
POST review_results/reject
GET qc_materials
GET qc_lots
GET qc_targets
GET qc_targets/proposal
GET qc_plans
GET qc_runs
GET qc_runs/:id
POST qc_runs
POST qc_runs/:id/void
GET qc_chart
GET qc_status
GET qc_actions
POST qc_actions
POST qc_actions/:id/sign
GET qc_lookbacks
POST qc_lookbacks/settle
GET qc_statistics
GET bulk_report_uploader/held
GET bulk_report_uploader/held/:fileId
POST bulk_report_uploader/held/:fileId/decide
GET interfaces
GET interfaces/export
GET webhooks
GET webhooks/:id
GET webhooks/:id/deliveries
GET interfaces/orderables
GET interfaces/:id
GET interfaces/:id/codes
GET interface_messages
GET interface_messages/export
GET interface_messages/state_count
GET interface_messages/:id
GET interface_messages/:id/same_cause
POST interface_messages/:id/reprocess
POST interface_messages/:id/dismiss
POST interface_messages/:id/resend
GET bulk_csv_uploader
GET bulk_csv_uploader/:uploadId/files
GET bulk_csv_uploader/:uploadId/error_file
GET bulk_csv_uploader/templates/:loadFileTypeCode
POST bulk_csv_uploader/init
POST bulk_csv_uploader/preview
POST bulk_csv_uploader/process
POST clients
PUT clients/:id
DELETE clients/:id
DELETE clients/bulk_delete
DELETE clients/:id/physicians/:recordId
DELETE clients/:id/physicians/bulk_delete
POST clients/:id/labs
DELETE clients/:id/labs/:recordId
DELETE clients/:id/labs/bulk_delete
POST events
PUT clients/:id/events/:recordId
DELETE clients/:id/events/:recordId
DELETE clients/:id/events/bulk_delete
POST clients/:id/sales
DELETE clients/:id/sales/:recordId
DELETE clients/:id/sales/bulk_delete
POST clients/:id/docs/init
POST clients/:id/docs
DELETE clients/:id/docs/:recordId
DELETE clients/:id/docs/bulk_delete
POST clients/:id/prices
PUT clients/:id/prices/:recordId
DELETE clients/:id/prices/:recordId
DELETE clients/:id/prices/bulk_delete
POST physicians
PUT physicians/:id
DELETE physicians/:id
DELETE physicians/bulk_delete
DELETE physicians
DELETE physicians/:id/clients
DELETE physicians/:id/clients/bulk_delete
DELETE physicians/:id/clients/:clientId
GET collaborators/:id
POST collaborators
PUT collaborators/:id
DELETE collaborators/:id
DELETE collaborators/bulk_delete
DELETE collaborators
GET collaborators/:id/test_ranges
POST collaborators/:id/test_ranges
PUT collaborators/:id/test_ranges/:rangeId
DELETE collaborators/:id/test_ranges/:rangeId
DELETE collaborators/:id/test_ranges/bulk_delete
DELETE collaborators/:id/test_ranges
GET sales/export
GET sales/:id
GET sales/:id/clients
GET sales/:id/staff
POST sales
PUT sales/:id
DELETE sales/:id
DELETE sales/bulk_delete
DELETE sales
GET requisitions/status_count
PUT requisitions/:status/next_status/bulk_move
PUT requisitions
PUT requisitions/:id/undo_resulted
PUT requisitions/:reqID/send_notif
PUT requisitions/:reqID/dem_qc
PUT requisitions/:reqID/pass_codes
PUT requisitions/:reqID/fail_codes
PUT requisitions/:reqID/flags
DELETE requisitions/:id
DELETE requisitions/bulk_delete
POST requisitions/:id/req_tests
DELETE requisitions/:id/req_tests/bulk_delete
DELETE requisitions/:id/req_tests/:testId
PUT requisitions/:id/req_tests/bulk_edit
PUT requisitions/:id/req_tests/:testId/modify
PUT requisitions/:id/req_tests/:testId/cancel_mod
PUT requisitions/:id/req_tests/:testId/retest
PUT requisitions/:id/req_tests/:testId/fail_codes
PUT requisitions/:id/req_tests/:testId/pass_codes
GET requisitions/:id/panels
GET requisitions/:id/single_tests
DELETE requisitions/:id/docs/:docId
POST requisitions/:id/issues
PUT requisitions/:id/issues/:issueId
POST requisitions/:id/lab_notes
GET requisitions/:id/checklist
GET patients/:id/serial
POST requisitions/:id/specimens
PUT requisitions/:id/specimens/:specimenId
GET requisitions/:id/specimens/needed
POST requisitions/:id/spec_locs
DELETE requisitions/:id/spec_locs/bulk_discard
GET labs/:labId/empty_storages
GET labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/dd_box/:box/slots
POST labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/dd_box/:box/slots
GET labs/:labId/samples
GET labs/:labId/downtime_kit
POST labs/:labId/downtime_kit
POST labs/:labId/catch_up
GET labs/:labId/discard_list
POST labs/:labId/discard_list
POST labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/move
POST labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/move
POST labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/dd_box/:box/move
POST labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/dd_box/:box/reconcile
GET freezer_specs
GET freezer_specs/export
GET labels/printer
POST labels/print
POST requisitions/:id/reports
POST requisitions/:id/reports/make
POST requisitions/bulk_reports
POST requisitions/bulk_release
PUT requisitions/:reqID/reports/:reportID
DELETE requisitions/:reqID/reports/:reportID
POST requisitions/:reqID/reports/:reportID/corrections
PUT requisitions/:id
POST requisitions/:id/copy
GET requisitions/:id/patient_changes
PUT requisitions/:id/patient_changes/:changeId
GET requisitions/:id/deliveries
GET requisitions/:id/rep_delivery
GET requisitions/:id/patient_notifications
POST requisitions/:id/delivery
POST requisitions/:id/rep_delivery
POST requisitions/bulk_delivery
POST requisitions/send_notif
POST deliveries/:id/resend
PUT deliveries/:id/confirm
GET deliveries/late
PUT requisitions/:id/billings/:billId
POST requisitions/:id/billings/:billId/insurances
PUT requisitions/:id/billings/:billId/insurances/:insId
DELETE requisitions/:id/billings/:billId/insurances/:insId
POST requisitions/:id/prev_insurance
POST requisitions/:id/req_icds
DELETE requisitions/:id/req_icds/:recordId
DELETE requisitions/:id/req_icds/bulk_delete
POST requisitions/:id/bill_notes
DELETE requisitions/:id/bill_notes/:recordId
DELETE requisitions/:id/bill_notes/bulk_delete
POST requisitions/:id/payments
DELETE requisitions/:id/payments/:recordId
DELETE requisitions/:id/payments/bulk_delete
GET billing/batch/plan
POST billing/batch
POST billing/batch/:id/send
POST billing/batch/:id/cancel
POST billing/run`,
}

/** Call → the roles that may make it; 'everybody' needs no session. */
export const expectedCalls: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(groups).flatMap(([who, calls]) =>
    calls
      .trim()
      .split('\n')
      .map((call) => [call, who.split(' ')] as const),
  ),
)
