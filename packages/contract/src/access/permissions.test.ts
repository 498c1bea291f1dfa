import { describe, expect, it } from 'vitest'
import { can, type Permission, permissions } from './permissions.ts'
import { billing, isRole, type Role, registered, roleOf, roles, superAdmins } from './roles.ts'

// One letter a role, in the order of the columns below; a dot means no.
// A ADM · M MGMT · S STF · L SLS · B BILL · C COLA · K CLNT · P PHYS · G GST
const columns: readonly Role[] = ['ADM', 'MGMT', 'STF', 'SLS', 'BILL', 'COLA', 'CLNT', 'PHYS', 'GST']
const letters = 'AMSLBCKPG'

/** The complete matrix, written by hand from the specification and decisions §1; nothing here is computed from the table. */
const matrix: [permission: Permission, holders: string, title: string][] = [
  ['home.open', 'AMSLBCKP.', 'PERM-037 route / is open to all registered roles'],
  ['home.results', '.....CKP.', 'HOME-03 practices, physicians and collaborators see new results'],
  ['boards.manage', 'AM.......', 'HOME-10 ADM and MGMT put up wall boards'],
  ['schedules.own', 'AMSLBCKP.', 'HOME-08 everybody sends by mail what they may see'],
  ['portal.order', '......KP.', 'HOME-11 practices and physicians order tests'],
  ['home.salesClients', '...L.....', 'HOME-03 sales people see how much their clients order'],
  ['requisitions.list', 'AMSLBCKP.', 'PERM-038 LIST-009 /requisitions is open to all registered roles'],
  ['requisitions.create', 'AMS..C...', 'PERM-039 CREATE-01 /requisitions/create is open to four roles'],
  ['requisitions.createButton', 'AMS......', "PERM-105 LIST-036 the list's 'create' button shows to three roles"],
  ['requisitions.addButton', 'AMS......', "PERM-106 DETAIL-009 the 'Requisition' add button shows to three roles"],
  ['requisitions.open', 'AMSL.CK..', 'PERM-040 PERM-041 DETAIL-001 DETAIL-002 the detail route is open to six roles'],
  ['requisitions.link', 'AMSL.C...', 'PERM-035 LIST-136 Requisition links are held by ADM, MGMT, STF, SLS, COLA only'],
  ['clients.read', 'AMS...K..', 'PERM-050 PERM-051 client list and detail are open to super admins plus a client role'],
  ['clients.write', 'AMS......', 'PERM-046 PERM-047 PERM-123 clients are created and edited by super admins'],
  ['physicians.read', 'AMS...K..', 'PERM-052 PERM-053 physician list and detail: super admins plus a client role'],
  ['physicians.write', 'AMS......', 'PERM-048 PERM-049 PERM-124 physicians are created and edited by super admins'],
  ['collaborators.read', 'AMS......', 'PERM-042 collaborators are open to super admins'],
  ['collaborators.write', 'AMS......', 'PERM-042 collaborators are written by super admins'],
  ['sales.read', 'AMS......', 'PERM-043 sales is open to super admins'],
  ['sales.write', 'AMS......', 'PERM-043 sales people are written by super admins'],
  ['labs.read', 'AMS......', 'the record of a laboratory and its signers are read by super admins'],
  ['signOut.read', 'AMS......', 'SOUT-02 what waits for a signature is for super admins'],
  ['labs.write', 'AM.......', 'the record of a laboratory and its signers are written by ADM and MGMT'],
  ['inspectionPacks.make', 'AM.......', 'what an inspector asks for is put together by ADM and MGMT'],
  ['freezer.open', 'AMS......', 'PERM-044 SPEC-071 the freezer lookup is open to super admins'],
  ['batchCsv.open', 'AMS......', 'PERM-045 BATCH-50 batch CSV upload is open to super admins'],
  ['reportsPages.open', 'AMSLBCKP.', 'PERM-055 REP-04 Reports is open to all registered roles'],
  ['batchFiles.open', 'AMSLBCKP.', 'PERM-056 BATCH-04 Batch File Upload is open to all registered roles'],
  [
    'batchFiles.upload',
    'AMS......',
    'PERM-109 putting report files on requisitions takes the report-delivery permission',
  ],

  ['users.list', 'AM.......', 'PERM-054 users is open to user-management roles'],
  ['users.manage', 'AM.......', 'PERM-054 users are enabled, disabled and sent links by user-management roles'],
  ['users.write', '.M.......', 'users are created, edited and deleted by MGMT only'],
  ['users.viewAs', 'A........', 'DAY-33 only an administrator views as somebody else'],
  ['patients.merge', 'AM.......', 'DAY-30 only ADM and MGMT merge two patients'],
  ['downtime.use', 'AMS......', 'DAY-34 the downtime kit is for super roles'],
  ['menu.undo', 'AMS......', 'DAY-32 Undo is in the menu of super admins'],
  ['undo.others', 'AM.......', 'DAY-32 ADM and MGMT undo what somebody else has done'],
  ['users.entity', '.M.......', 'PERM-025 User entity resource is held by MGMT only'],
  ['users.info', 'AMSLBCKP.', 'PERM-026 User info is held by all registered roles'],
  ['profile.own', 'AMSLBCKP.', 'PERM-057 the own profile is for the own account'],

  ['requisitionTabs.view', 'AMSL.CK..', 'DETAIL-025 DETAIL-026 tab view is in the restricted list'],
  ['requisitionTabs.issues', 'AMSL.CK..', 'DETAIL-025 DETAIL-026 tab issues is in the restricted list'],
  ['requisitionTabs.specimens', 'AMSL.CK..', 'DETAIL-025 DETAIL-026 tab specimens is in the restricted list'],
  [
    'requisitionTabs.locations',
    'AMSL.....',
    'PERM-082 DETAIL-025 DETAIL-026 tab locations is not in the restricted list',
  ],
  ['requisitionTabs.tests', 'AMSL.CK..', 'DETAIL-025 DETAIL-026 tab tests is in the restricted list'],
  ['requisitionTabs.status', 'AMSL.CK..', 'DETAIL-025 DETAIL-026 tab status is in the restricted list'],
  [
    'requisitionTabs.reportsDelivery',
    'AMSL.CK..',
    'DETAIL-025 DETAIL-026 tab reportsDelivery is in the restricted list',
  ],
  [
    'requisitionTabs.activity',
    'AMSL.....',
    'PERM-082 DETAIL-025 DETAIL-026 tab activity is not in the restricted list',
  ],
  [
    'requisitionTabs.labNotes',
    'AMSL.....',
    'PERM-082 DETAIL-025 DETAIL-026 tab labNotes is not in the restricted list',
  ],
  ['requisitionTabs.billing', 'AMSL.CK..', 'DETAIL-025 DETAIL-026 tab billing is in the restricted list'],
  [
    'requisitionTabs.payments',
    'AMSL.....',
    'PERM-082 DETAIL-025 DETAIL-026 tab payments is not in the restricted list',
  ],
  [
    'requisitionTabs.patientHistory',
    'AMSL.....',
    'PERM-082 DETAIL-025 tab patientHistory is not in the restricted list',
  ],

  ['requisitions.statusBar', 'AMS......', 'PERM-086 LIST-030 LIST-031 super admins alone have the status bar'],
  ['requisitions.tabCounts', '......KP.', 'clients and physicians have counts in their tabs'],
  ['requisitions.seeFlag', 'AMS.BCKP.', 'PERM-069 LIST-137 for sales the Flag column is hidden'],
  [
    'requisitions.seeNotifyPatient',
    '.........',
    "PERM-119 LIST-138 the 'Notify Patient?' column has an empty visibility list",
  ],
  ['requisitions.setNotifyPatient', 'AMS......', 'the notify auto-save works for super admins'],
  [
    'requisitions.smartPanel',
    'AMSL.CKP.',
    'PERM-118 LIST-039 billing users get the table without the smart filter panel',
  ],
  ['requisitions.allFilters', 'AMSL.C...', 'LIST-056 LIST-057 client and physician users see fewer filters'],
  [
    'requisitions.export',
    'AMS..C...',
    "PERM-070 PERM-071 PERM-072 PERM-073 'Export All' is hidden for SLS, CLNT, PHYS, BILL",
  ],
  ['requisitions.exportBilling', 'AMS......', "'Export All' of the tab Billing is for super admins"],
  ['requisitions.move', 'AMS......', 'the bulk next status is for super admins'],
  ['requisitions.moveBack', 'AMS......', 'the move back to Accessioned is for super admins'],
  ['requisitions.sendNotification', 'AMS......', 'patients are notified by super admins'],
  ['requisitions.printLabels', 'AMS......', 'labels are printed by super admins'],
  ['requisitions.delete', 'AMS......', 'requisitions are deleted by super admins'],
  ['requisitions.bulkDownload', 'AMS..C...', 'the bulk download of the stage tabs is for super admins and COLA'],
  [
    'requisitions.bulkDownloadOwn',
    '......KP.',
    'the bulk download of AllForClient and AllForPhysician is for CLNT and PHYS',
  ],
  ['smartFilter.button', 'AMSL.CKP.', "PERM-104 VIEW-02 'View & Filters' is hidden for role Et (BILL)"],
  [
    'smartFilter.collaborator',
    'AMSL..KP.',
    'PERM-033 VIEW-47 the collaborator field is held by ADM, CLNT, MGMT, PHYS, STF, SLS only',
  ],
  ['smartFilter.own', 'AMSLBCKP.', 'every registered role keeps its own smart views'],
  ['billingBatches.read', 'AMS.B....', 'LIST-058 billing users see the batch list'],
  ['billingBatches.download', 'AMS.B....', 'the Bulk Download of billing batches is for BILL and super admins'],
  ['billingBatches.run', 'AMS......', "'run billing' is for super admins"],

  ['requisitions.edit', 'AMS......', 'PERM-027 Edit requisition information is held by ADM, MGMT, STF only'],
  ['requisitions.editStatus', 'AMS......', 'PERM-087 DETAIL-152 super admins alone have the status edit'],
  ['requisitions.duplicate', 'AMS......', 'PERM-074 DETAIL-038 the duplicate button is hidden for sales'],
  ['requisitions.billingStatus', 'AMS......', 'PERM-091 DETAIL-036 super admins alone have the billing status'],
  ['clientIcdNotes.edit', 'AMS......', 'PERM-077 DETAIL-054 sales cannot edit the Client ICD Notes'],
  ['patients.edit', 'AMS..C...', 'PERM-028 PAT-016 patient information and history: ADM, MGMT, STF, COLA only'],
  ['patients.review', 'AMS......', 'what a partner asks to change in a shared patient is decided by the laboratory'],
  ['patients.search', 'AMS..C...', 'patients are suggested to those who fill patient forms'],
  ['codes.edit', 'AMS......', 'PERM-088 DETAIL-033 super admins alone have the fail/pass code edit'],
  ['codes.multiSelect', 'AMS.BCKP.', 'PERM-103 DETAIL-034 pass and fail multi-selects are disabled for one role (SLS)'],
  ['specimens.add', 'AMS......', 'PERM-089 SPEC-003 super admins alone have specimen adding'],
  ['specimens.place', 'AMS......', 'specimens are placed and discarded by super admins'],
  ['tests.edit', 'AMS......', 'PERM-108 TEST-06 lab tech (super admins) may edit tests'],
  ['tests.seeResults', 'AMS.BC.P.', 'PERM-093 PERM-094 PERM-095 the three result columns are hidden for CLNT and SLS'],
  ['tests.export', 'AMS..C...', 'processed tests are exported by those who export requisitions'],
  ['labNotes.write', 'AMS......', 'lab notes are written by super admins'],

  ['turnaround.read', 'AMS......', 'HOME-05 turnaround targets are read by super roles'],
  ['turnaround.write', 'AM.......', 'HOME-05 turnaround targets are set by ADM and MGMT'],
  ['instruments.read', 'AMS......', 'BENCH-01 instruments are open to super admins'],
  ['instruments.write', 'AM.......', 'BENCH-01 instruments are managed by ADM and MGMT'],
  ['qc.read', 'AMS......', 'QC-01 quality control is open to super admins'],
  ['qc.run', 'AMS......', 'QC-01 control runs are entered by super admins'],
  ['qc.manage', 'AM.......', 'QC-01 materials, lots, targets and plans are managed by ADM and MGMT'],
  ['qc.release', 'AM.......', 'QC-06 results in doubt are released by ADM and MGMT'],
  ['review.read', 'AMS......', 'BENCH-20 results that wait for a person are read by super admins'],
  ['review.decide', 'AMS......', 'BENCH-20 super admins accept, rerun and reject'],
  ['autoverify.stop', 'AMS......', 'BENCH-23 super admins may stop autoverification'],
  ['autoverify.start', 'AM.......', 'BENCH-23 ADM and MGMT start it again'],
  ['autoverify.manage', 'AM.......', 'BENCH-22 rules are changed and switched by ADM and MGMT'],
  ['critical.call', 'AMS......', 'BENCH-41 critical calls are for super admins'],

  ['documents.section', 'AMSLB....', 'PERM-029 DOC-04 Download section is held by ADM, MGMT, STF, SLS, BILL only'],
  ['documents.list', 'AMSLBC...', 'DOC-G2 names and dates of documents: the download section, and collaborators'],
  ['documents.upload', 'AMS..C...', 'PERM-107 DOC-10 documents may be uploaded by four roles'],
  ['documents.delete', 'AMS......', 'documents are deleted by super admins'],
  ['documents.insuranceCard', 'AMS.BCKP.', 'PERM-096 DOC-05 Insurance card is hidden for one role (SLS)'],
  ['documents.addOn', 'AMS.BCKP.', 'PERM-097 DOC-06 Add-On Document is hidden for one role (SLS)'],
  ['documents.scannedEob', 'AMS.BCKP.', 'PERM-098 DOC-07 Scanned EOB is hidden for one role (SLS)'],
  ['documents.scannedInvoice', 'AMS.BCKP.', 'PERM-099 DOC-08 Scanned Invoice is hidden for one role (SLS)'],
  ['documents.receivedCheck', 'AMS.BCKP.', 'PERM-100 DOC-09 Received Check is hidden for one role (SLS)'],

  ['issues.rootList', '.........', 'PERM-036 ISSUE-40 the issues root list lists no role'],
  ['issues.add', 'AMS......', 'PERM-030 ISSUE-03 Add issue is held by ADM, MGMT, STF only'],
  ['issues.editStatus', 'AMS......', 'issue statuses are set by super admins'],
  ['issues.addWorkLog', 'AMS..CK..', 'PERM-075 ISSUE-09 sales cannot add a work log'],
  ['notifications.read', 'AMS..C...', 'PERM-034 ISSUE-48 Notifications are held by ADM, MGMT, STF, COLA only'],

  ['reports.read', 'AMSLBCKP.', 'the reports of a requisition in scope are listed for every registered role'],
  ['reports.view', 'AMSLBCKP.', 'PERM-078 DELIV-37 sales users view a report'],
  ['reports.download', 'AMS.BCKP.', 'PERM-032 PERM-111 DELIV-61 DELIV-63 reports are downloaded by all but sales'],
  [
    'reports.deliver',
    'AMS......',
    'PERM-031 PERM-110 DELIV-36 DELIV-60 Reports delivery edit is held by ADM, MGMT, STF only',
  ],
  [
    'reports.edit',
    'AMS......',
    'PERM-102 PERM-109 DELIV-35 DELIV-59 reports edit depends on the report-delivery permission',
  ],
  ['reports.demographicQc', 'AMS......', 'PERM-112 DELIV-62 demographic QC depends on the report-delivery permission'],
  ['reports.seeLabQc', 'AMS.BC.P.', 'PERM-101 DELIV-34 the lab QC result column is hidden for two roles'],

  ['billing.editPatient', 'AMS......', 'PERM-092 BLG-002 super admins alone edit patient info in the billing tab'],
  ['guarantor.edit', 'AMS......', 'PERM-090 BLG-019 super admins alone have the guarantor edit'],
  ['insurances.edit', 'AMS......', 'PERM-113 BLG-073 insurance editing depends on the report-delivery permission'],
  [
    'icds.edit',
    'AMS......',
    'PERM-083 PERM-085 PERM-114 BLG-008 BLG-010 BLG-088 client and physician users cannot add ICD codes',
  ],
  ['icds.extraPanel', 'AMSL.C...', 'PERM-084 BLG-009 client users do not see the extra ICD panel'],
  ['billingNotes.read', 'AMSL.C...', 'PERM-120 BLG-006 the billing notes table is visible to five roles'],
  [
    'billingNotes.write',
    'AMS......',
    'PERM-115 BLG-094 billing notes add/delete depends on the report-delivery permission',
  ],
  ['payments.write', 'AMS......', 'payments are written by super admins'],

  ['menu.collaborators', 'AMS......', 'PERM-060 menu item Collaborators is visible to super admins only'],
  ['menu.clients', 'AMS...K..', 'PERM-065 menu item Clients is visible to super admins plus one client role'],
  ['menu.physicians', 'AMS...K..', 'PERM-066 menu item Physicians is visible to super admins plus one client role'],
  ['menu.sales', 'AMS......', 'PERM-061 menu item Sales is visible to super admins only'],
  ['menu.requisitions', 'AMSL.CKP.', 'PERM-067 menu item Requisitions is visible to seven roles'],
  ['menu.addRequisition', '.....C...', 'COLA, who may create but has no button on the list, has a menu item for it'],
  ['menu.billedRequisitions', '....B....', "BILL gets the same link as 'Billed Requisitions'"],
  ['menu.reports', 'AMS......', 'PERM-062 menu item Reports is visible to super admins only'],
  ['menu.users', 'AM.......', 'menu item Users is visible to ADM and MGMT'],
  ['menu.testReportsUpload', 'AMS......', 'PERM-063 menu item Test Reports Upload is visible to super admins only'],
  ['menu.freezer', 'AMS......', 'PERM-064 menu item Freezer Reverse Lookup is visible to super admins only'],
  ['menu.batchCsv', 'AMS......', 'PERM-068 menu item Batch CSV Upload is visible to three roles'],
  ['menu.notifications', 'AMS..C...', 'menu item Notifications is visible to super admins and COLA'],
  ['menu.userProfile', 'AMSLBCKPG', 'PERM-024 SHELL-49 a menu item without a role list is visible to all'],
  ['menu.logout', 'AMSLBCKPG', 'PERM-024 SHELL-49 Log-out is visible to all'],

  ['lookups.read', 'AMSLBCKP.', 'lookup lists are read by all registered roles'],
  ['jobs.manage', 'AM.......', 'jobs are managed by ADM and MGMT'],
  ['records.restore', 'AM.......', 'deleted records are restored by ADM and MGMT'],
  ['audit.read', 'AMS......', 'the audit trail is read by super admins'],
  ['accessLog.read', 'AM.......', 'the access log is read by ADM and MGMT'],

  ['interfaces.read', 'AMS......', 'interfaces and their messages are read by super admins'],
  ['interfaces.work', 'AMS......', 'held messages are worked by super admins'],
  ['interfaces.manage', 'AM.......', 'interfaces are managed by ADM and MGMT'],
  ['apiClients.manage', 'AM.......', 'API clients are managed by ADM and MGMT'],
  ['webhooks.read', 'AMS......', 'webhooks are read by super admins'],
  ['webhooks.manage', 'AM.......', 'webhooks are managed by ADM and MGMT'],
]

describe('the permission table', () => {
  it.each(matrix)('%s %s: %s', (permission, holders) => {
    const granted = columns.map((role, index) => (can(role, permission) ? letters[index] : '.')).join('')
    expect(granted).toBe(holders)
  })

  it('has exactly the permissions of the matrix, each once', () => {
    const spelled = matrix.map(([permission]) => permission)
    expect(spelled.toSorted()).toEqual(Object.keys(permissions).toSorted())
  })

  it('PERM-036 PERM-119 an empty list means nobody, not everybody', () => {
    expect(roles.filter((role) => can(role, 'requisitions.seeNotifyPatient'))).toEqual([])
  })

  it('gives a guest nothing but the two menu items that everybody has', () => {
    const held = matrix.filter(([permission]) => can('GST', permission)).map(([permission]) => permission)
    expect(held).toEqual(['menu.userProfile', 'menu.logout'])
  })

  it('PERM-076 gives sales no write permission on a requisition', () => {
    const writes = /\.(write|edit|editStatus|upload|add|addWorkLog|delete|move|moveBack|deliver|place|demographicQc)$/
    expect(matrix.filter(([name]) => writes.test(name) && can('SLS', name))).toEqual([])
  })
})

describe('roles', () => {
  it('are nine codes', () => {
    expect([...roles].toSorted()).toEqual(['ADM', 'BILL', 'CLNT', 'COLA', 'GST', 'MGMT', 'PHYS', 'SLS', 'STF'])
  })
  it.each([
    ['PERM-001', 'ADM'],
    ['PERM-002', 'COLA'],
    ['PERM-003', 'CLNT'],
    ['PERM-004', 'MGMT'],
    ['PERM-005', 'PHYS'],
    ['PERM-006', 'SLS'],
    ['PERM-007', 'STF'],
    ['PERM-008', 'BILL'],
    ['PERM-009', 'GST'],
  ])('%s there is the role %s', (_, code) => {
    expect(roles).toContain(code)
  })
  it('PERM-020 super admins are ADM, MGMT and STF', () => {
    expect([...superAdmins].toSorted()).toEqual(['ADM', 'MGMT', 'STF'])
  })
  it('PERM-021 registered is everybody but the guest', () => {
    expect([...registered, 'GST'].toSorted()).toEqual([...roles].toSorted())
  })
  it('PERM-022 billing is BILL', () => {
    expect(billing).toEqual(['BILL'])
  })
  it.each([undefined, null, '', 'Et', 'adm', 0, {}, ['ADM']])('PERM-019 unknown access %j means guest', (value) => {
    expect(roleOf(value)).toBe('GST')
    expect(isRole(value)).toBe(false)
  })
  it.each(roles)('PERM-023 keeps the stored role %s', (role) => {
    expect(roleOf(role)).toBe(role)
  })
})
