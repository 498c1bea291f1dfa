import { type Role, registered, roles, superAdmins } from './roles.ts'

const userManagers = ['ADM', 'MGMT'] as const
/** The spec's 'Reports delivery edit'; many other writes "depend on the report-delivery permission". */
const reportsDelivery = superAdmins
const allBut = (...hidden: Role[]): readonly Role[] => registered.filter((role) => !hidden.includes(role))

/**
 * Who may do what, as data: routes, menu and controls on both sides read this table. An empty list means nobody.
 * A rule that the spec words as "hidden for X" is listed by who does see it.
 * Row scope, status, department and ownership are checked in addition, per record.
 */
export const permissions = {
  // Pages and lists. Spec 1§2 'Protected routes', 2§6; decisions §1.
  'home.open': registered, // PERM-037
  'home.results': ['COLA', 'CLNT', 'PHYS'], // HOME-03: new results, what is on the way and what is wanted
  'home.salesClients': ['SLS'], // HOME-03
  'boards.manage': userManagers, // HOME-10
  'schedules.own': registered, // HOME-08: what each may see, to those who may see it
  'portal.order': ['CLNT', 'PHYS'], // HOME-11: those of a client with isPortalOrder
  'requisitions.list': registered, // PERM-038
  'requisitions.create': [...superAdmins, 'COLA'], // PERM-039: the create route and its call
  'requisitions.createButton': superAdmins, // PERM-105: 'create' on the list
  'requisitions.addButton': superAdmins, // PERM-106: 'Requisition' on the detail page
  'requisitions.open': [...superAdmins, 'SLS', 'COLA', 'CLNT'], // PERM-040, PERM-041: the detail route
  'requisitions.link': [...superAdmins, 'SLS', 'COLA'], // PERM-035: 'Requisition links (open detail)'
  'clients.read': [...superAdmins, 'CLNT'], // PERM-050, PERM-051
  'clients.write': superAdmins, // PERM-046, PERM-047, PERM-123: also delete and every sub-record write
  'physicians.read': [...superAdmins, 'CLNT'], // PERM-052, PERM-053
  'physicians.write': superAdmins, // PERM-048, PERM-049, PERM-124
  'collaborators.read': superAdmins, // PERM-042
  'collaborators.write': superAdmins,
  'sales.read': superAdmins, // PERM-043
  'sales.write': superAdmins,
  'labs.read': superAdmins, // SOUT-01, SOUT-13
  'labs.write': userManagers, // SOUT-01, SOUT-13
  'inspectionPacks.make': userManagers, // SOUT-10
  'turnaround.read': superAdmins, // HOME-05
  'turnaround.write': userManagers, // HOME-05: targets and working calendars
  'downtime.use': superAdmins, // DAY-34
  'freezer.open': superAdmins, // PERM-044
  'batchCsv.open': superAdmins, // PERM-045
  'reportsPages.open': registered, // PERM-055: route for all, menu for super admins
  'batchFiles.open': registered, // PERM-056: route for all, menu for super admins
  'batchFiles.upload': reportsDelivery, // a batch puts report files on requisitions, so it is 'Reports edit' (PERM-109)

  // Users and the own profile. Spec table 'User entity resource', 'User info'; 2§6.
  'users.list': userManagers, // PERM-054: list, show, export
  'users.manage': userManagers, // PERM-054: enable, disable, send reset link
  'users.write': ['MGMT'], // decisions §1: create, edit, delete
  'users.viewAs': ['ADM'], // DAY-33
  'users.entity': ['MGMT'], // PERM-025
  'users.info': registered, // PERM-026: own name and role in the shell
  'profile.own': registered, // PERM-057

  // Tabs of the detail page. CLNT and COLA have the restricted list (PERM-082, DETAIL-025, DETAIL-026).
  'requisitionTabs.view': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.issues': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.specimens': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.locations': [...superAdmins, 'SLS'],
  'requisitionTabs.tests': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.status': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.reportsDelivery': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.activity': [...superAdmins, 'SLS'],
  'requisitionTabs.labNotes': [...superAdmins, 'SLS'],
  'requisitionTabs.billing': [...superAdmins, 'SLS', 'COLA', 'CLNT'],
  'requisitionTabs.payments': [...superAdmins, 'SLS'],
  'requisitionTabs.patientHistory': [...superAdmins, 'SLS'],

  // The requisition list: panel, columns, bulk actions. Spec 1§2 'Requisitions list', 1§6; decisions §1 and LIST-G9.
  'requisitions.statusBar': superAdmins, // PERM-086
  'requisitions.tabCounts': ['CLNT', 'PHYS'], // no status bar (PERM-086), but their tabs have counts
  'requisitions.seeFlag': allBut('SLS'), // PERM-069
  'requisitions.seeNotifyPatient': [], // PERM-119: the spec lists no role, so nobody sees the column
  'requisitions.setNotifyPatient': superAdmins, // LIST-G2: the auto-save call works nevertheless
  'requisitions.smartPanel': allBut('BILL'), // PERM-118: billing users get the table directly
  'requisitions.allFilters': [...superAdmins, 'SLS', 'COLA'], // LIST-056, LIST-057: clients and physicians see fewer
  'requisitions.export': [...superAdmins, 'COLA'], // PERM-070 to PERM-073: 'Export All'
  'requisitions.exportBilling': superAdmins, // LIST-G9: on the tab Billing without COLA
  'requisitions.move': superAdmins, // bulk next status
  'requisitions.moveBack': superAdmins, // one Released row back to Accessioned
  'requisitions.sendNotification': superAdmins,
  'requisitions.printLabels': superAdmins,
  'requisitions.delete': superAdmins,
  'requisitions.bulkDownload': [...superAdmins, 'COLA'], // LIST-G9: tabs Resulted to Delivered
  'requisitions.bulkDownloadOwn': ['CLNT', 'PHYS'], // LIST-G9: AllForClient, AllForPhysician
  'smartFilter.button': allBut('BILL'), // PERM-104: 'View & Filters'; role 'Et' is BILL
  'smartFilter.collaborator': ['ADM', 'CLNT', 'MGMT', 'PHYS', 'STF', 'SLS'], // PERM-033
  'smartFilter.own': registered, // VIEW-G9: saved views belong to their user
  'billingBatches.read': [...superAdmins, 'BILL'], // LIST-058, LIST-059: with the billing-date filter
  'billingBatches.download': [...superAdmins, 'BILL'], // LIST-125, LIST-G9
  'billingBatches.run': superAdmins, // decisions §2: 'run billing'

  // Writes on a requisition. Spec table and 'Super admins alone'.
  'requisitions.edit': superAdmins, // PERM-027
  'requisitions.editStatus': superAdmins, // PERM-087
  'requisitions.duplicate': superAdmins, // PERM-074
  'requisitions.billingStatus': superAdmins, // PERM-091
  'clientIcdNotes.edit': superAdmins, // PERM-077: looks disabled for sales
  'patients.edit': [...superAdmins, 'COLA'], // PERM-028
  'patients.search': [...superAdmins, 'COLA'], // suggestions, beside the forms of 'patients.edit' and 'requisitions.create'
  'patients.review': superAdmins, // change requests for patients shared with other partners
  'patients.merge': userManagers, // DAY-30
  'codes.edit': superAdmins, // PERM-088: pass and fail codes
  'codes.multiSelect': allBut('SLS'), // PERM-103: enabled in filters; in cells it also takes 'codes.edit'
  'specimens.add': superAdmins, // PERM-089
  'specimens.place': superAdmins, // locations: place and discard
  'tests.edit': superAdmins, // PERM-108: add, results, modify, retest
  'tests.seeResults': allBut('CLNT', 'SLS'), // PERM-093 to PERM-095: result, reportable result, interpretation
  'tests.export': [...superAdmins, 'COLA'], // 'Export Processed Test', as 'Export All'
  'labNotes.write': superAdmins,

  // Instruments and quality control (QC-01, QC-06, BENCH-01).
  'instruments.read': superAdmins,
  'instruments.write': userManagers,
  'qc.read': superAdmins,
  'qc.run': superAdmins, // enters runs and corrective actions, looks at results again
  'qc.manage': userManagers, // materials, lots, targets and plans
  'qc.release': userManagers, // results in doubt without looking at them again
  'review.read': superAdmins, // BENCH-20
  'review.decide': superAdmins, // accept, rerun and reject
  'autoverify.stop': superAdmins, // BENCH-23
  'autoverify.start': userManagers,
  'autoverify.manage': userManagers, // BENCH-22: rules and their switches, reflex rules too
  'critical.call': superAdmins, // BENCH-40 to BENCH-43: limits and calls

  // Documents. Spec 'Download section'; decisions §1.
  'documents.section': [...superAdmins, 'SLS', 'BILL'], // PERM-029, PERM-121: also in the billing tab
  'documents.list': [...superAdmins, 'SLS', 'BILL', 'COLA'], // those with the section, and COLA, which sees names and uploads (DOC-G2)
  'documents.upload': [...superAdmins, 'COLA'], // PERM-107
  'documents.delete': superAdmins,
  'documents.insuranceCard': allBut('SLS'), // PERM-096; each section also takes 'documents.section' or 'documents.upload'
  'documents.addOn': allBut('SLS'), // PERM-097
  'documents.scannedEob': allBut('SLS'), // PERM-098
  'documents.scannedInvoice': allBut('SLS'), // PERM-099
  'documents.receivedCheck': allBut('SLS'), // PERM-100

  // Issues and notifications.
  'issues.rootList': [], // PERM-036: the spec lists no role
  'issues.add': superAdmins, // PERM-030
  'issues.editStatus': superAdmins, // closing also takes the reporter's department (PERM-122)
  'issues.addWorkLog': [...superAdmins, 'COLA', 'CLNT'], // PERM-075: who opens the detail page, but sales
  'notifications.read': [...superAdmins, 'COLA'], // PERM-034

  // Reports of a requisition. Spec 'Reports delivery edit', 'Download reports'.
  'reports.read': registered, // rows within scope; BILL from a batch (DOC-G8), PHYS from the list
  'reports.view': registered, // PERM-078: sales view what others download
  'reports.download': [...superAdmins, 'COLA', 'BILL', 'CLNT', 'PHYS'], // PERM-032, with PERM-111 and LIST-G9
  'reports.deliver': reportsDelivery, // PERM-031, PERM-110
  'reports.edit': reportsDelivery, // PERM-102, PERM-109: upload, lab QC select
  'reports.demographicQc': reportsDelivery, // PERM-112
  'signOut.read': superAdmins, // SOUT-02, SOUT-04, SOUT-06: signing takes a grant besides, SOUT-13
  'reports.seeLabQc': allBut('CLNT', 'SLS'), // PERM-101: the read-only table

  // Billing tab and payments.
  'billing.editPatient': superAdmins, // PERM-092
  'guarantor.edit': superAdmins, // PERM-090
  'insurances.edit': reportsDelivery, // PERM-113
  'icds.edit': reportsDelivery, // PERM-083, PERM-085, PERM-114
  'icds.extraPanel': [...superAdmins, 'SLS', 'COLA'], // PERM-084: of those who have the billing tab, not the client users
  'billingNotes.read': [...superAdmins, 'SLS', 'COLA'], // PERM-120
  'billingNotes.write': reportsDelivery, // PERM-115
  'payments.write': reportsDelivery, // decisions §1

  // The menu. Spec 1§6 'Menu visibility'; decisions §1.
  'menu.collaborators': superAdmins, // PERM-060
  'menu.clients': [...superAdmins, 'CLNT'], // PERM-065
  'menu.physicians': [...superAdmins, 'CLNT'], // PERM-066
  'menu.sales': superAdmins, // PERM-061
  'menu.requisitions': [...superAdmins, 'SLS', 'COLA', 'CLNT', 'PHYS'], // PERM-067
  'menu.addRequisition': ['COLA'], // may create (PERM-039) but has no button on the list (PERM-105)
  'menu.billedRequisitions': ['BILL'], // decisions §1: the same link under its own name
  'menu.reports': superAdmins, // PERM-062
  'menu.users': userManagers,
  'menu.testReportsUpload': superAdmins, // PERM-063
  'menu.freezer': superAdmins, // PERM-064
  'menu.batchCsv': superAdmins, // PERM-068
  'menu.notifications': [...superAdmins, 'COLA'],
  'menu.undo': superAdmins, // DAY-32
  'menu.userProfile': roles, // PERM-024: no role list, so visible to all
  'menu.logout': roles,

  // Lookups, jobs, restore, audit.
  'lookups.read': registered,
  'undo.others': userManagers, // DAY-32: undoes what somebody else has done
  'jobs.manage': userManagers,
  'records.restore': userManagers, // decisions §9: deletes are soft, an administrator restores
  'audit.read': superAdmins,
  'accessLog.read': userManagers, // SOUT-11

  // Interfaces. IFC-01.
  'interfaces.read': superAdmins,
  'interfaces.work': superAdmins, // the desk
  'interfaces.manage': userManagers,
  'apiClients.manage': userManagers, // IFC-40
  'webhooks.read': superAdmins, // IFC-42
  'webhooks.manage': userManagers,
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof permissions

export const can = (role: Role, permission: Permission): boolean =>
  (permissions[permission] as readonly Role[]).includes(role)

/** For a read that needs several permissions at once. */
export const canAll = (role: Role, needed: readonly Permission[]): boolean =>
  needed.every((permission) => can(role, permission))

/** Needed to read results whether released or not: the tab that shows them, and its result columns. */
export const resultReadPermissions = [
  'requisitionTabs.tests',
  'tests.seeResults',
] as const satisfies readonly Permission[]
