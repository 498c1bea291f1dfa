import type { Permission } from '@lis/contract/access/permissions.ts'
import type { MenuQueue } from '@lis/contract/home.ts'
import type { ComponentType } from 'react'
import {
  CallIcon,
  ClientsIcon,
  CollaboratorsIcon,
  ControlIcon,
  HomeIcon,
  type Icon,
  InsightsIcon,
  InterfacesIcon,
  PhysiciansIcon,
  ReportsIcon,
  RequisitionsIcon,
  ResultsIcon,
  ReviewIcon,
  SalesIcon,
  SignIcon,
  UploadIcon,
  UserIcon,
  UsersIcon,
} from '../ui/icons.tsx'
import { PlusIcon } from '../ui/table/table-icons.tsx'

export interface PageMenuItem {
  label: string
  /** The work of the day is above the rest. */
  place: 'work' | 'main' | 'more' | 'bottom'
  permission: Permission
  icon?: Icon
  /** The queue of Home whose number is beside it. */
  queue?: MenuQueue
  /** If it is not the path of the page. */
  to?: string
}

export interface AppRoute {
  path: string
  /** Loads the page's chunk. */
  load: () => Promise<ComponentType>
  /** The permission to open it, or 'public'. */
  access: Permission | 'public'
  /** Also requires membership in one of these departments, by code; no page uses it at present (SHELL-G7). */
  departments?: readonly string[]
  /** Its menu items, if it has any; roles can see it under different names. */
  menu?: readonly PageMenuItem[]
  /** A public page that shows the menu to signed-in users. */
  isInShell?: boolean
}

// One page at two addresses uses one `load` function: navigating between them keeps the page and its focus.
const requisitionPage = async () => (await import('./requisition-page.tsx')).RequisitionPage
const insightsPage = async () => (await import('../features/report-pages/insights-page.tsx')).InsightsPage
const reportsPage = async () => (await import('../features/report-pages/reports-page.tsx')).ReportsPage
const criticalCallsPage = async () =>
  (await import('../features/critical-calls/critical-calls-page.tsx')).CriticalCallsPage

/** Every page of the product, in the order of the menu. Router, guards, menu and quick jump all read this table. */
export const appRoutes: readonly AppRoute[] = [
  {
    path: '/',
    access: 'home.open',
    menu: [
      { place: 'work', label: 'Home', icon: HomeIcon, permission: 'home.open' },
      {
        place: 'work',
        label: 'Results',
        icon: ResultsIcon,
        permission: 'home.results',
        queue: 'NEW_RESULTS',
        to: '/?show=NEW_RESULTS',
      },
    ],
    load: async () => (await import('../features/home/home-page.tsx')).HomePage,
  },
  {
    path: '/order',
    access: 'portal.order',
    menu: [{ place: 'work', label: 'Order tests', icon: PlusIcon, permission: 'portal.order' }],
    load: async () => (await import('../features/portal-orders/order-page.tsx')).OrderPage,
  },
  {
    path: '/collaborators',
    access: 'collaborators.read',
    menu: [{ place: 'main', label: 'Collaborators', icon: CollaboratorsIcon, permission: 'menu.collaborators' }],
    load: async () => (await import('../features/collaborators/collaborator-list-page.tsx')).CollaboratorListPage,
  },
  {
    path: '/collaborators/create',
    access: 'collaborators.write',
    load: async () => (await import('../features/collaborators/collaborator-form-pages.tsx')).CollaboratorCreatePage,
  },
  {
    path: '/collaborators/:id',
    access: 'collaborators.write',
    load: async () => (await import('../features/collaborators/collaborator-form-pages.tsx')).CollaboratorEditPage,
  },
  {
    path: '/collaborators/:id/show',
    access: 'collaborators.read',
    load: async () => (await import('../features/collaborators/collaborator-show-page.tsx')).CollaboratorShowPage,
  },
  {
    path: '/clients',
    access: 'clients.read',
    menu: [{ place: 'main', label: 'Clients', icon: ClientsIcon, permission: 'menu.clients' }],
    load: async () => (await import('../features/clients/client-list-page.tsx')).ClientListPage,
  },
  {
    path: '/clients/create',
    access: 'clients.write',
    load: async () => (await import('../features/clients/client-form-pages.tsx')).ClientCreatePage,
  },
  {
    path: '/clients/:id',
    access: 'clients.write',
    load: async () => (await import('../features/clients/client-form-pages.tsx')).ClientEditPage,
  },
  {
    path: '/clients/:id/show',
    access: 'clients.read',
    load: async () => (await import('../features/clients/client-show-page.tsx')).ClientShowPage,
  },
  {
    path: '/physicians',
    access: 'physicians.read',
    menu: [{ place: 'main', label: 'Physicians', icon: PhysiciansIcon, permission: 'menu.physicians' }],
    load: async () => (await import('../features/physicians/physician-list-page.tsx')).PhysicianListPage,
  },
  {
    path: '/physicians/create',
    access: 'physicians.write',
    load: async () => (await import('../features/physicians/physician-create-page.tsx')).PhysicianCreatePage,
  },
  {
    path: '/physicians/:id',
    access: 'physicians.write',
    load: async () => (await import('../features/physicians/physician-edit-page.tsx')).PhysicianEditPage,
  },
  {
    path: '/physicians/:id/show',
    access: 'physicians.read',
    load: async () => (await import('../features/physicians/physician-show-page.tsx')).PhysicianShowPage,
  },
  {
    path: '/sales',
    access: 'sales.read',
    menu: [{ place: 'main', label: 'Sales', icon: SalesIcon, permission: 'menu.sales' }],
    load: async () => (await import('../features/sales/sales-list-page.tsx')).SalesListPage,
  },
  {
    path: '/sales/create',
    access: 'sales.write',
    load: async () => (await import('../features/sales/sales-form-pages.tsx')).SalesCreatePage,
  },
  {
    path: '/sales/:id',
    access: 'sales.write',
    load: async () => (await import('../features/sales/sales-form-pages.tsx')).SalesEditPage,
  },
  {
    path: '/sales/:id/show',
    access: 'sales.read',
    load: async () => (await import('../features/sales/sales-show-page.tsx')).SalesShowPage,
  },
  {
    path: '/requisitions',
    access: 'requisitions.list',
    menu: [
      { place: 'main', label: 'Requisitions', icon: RequisitionsIcon, permission: 'menu.requisitions' },
      { place: 'main', label: 'Billed Requisitions', icon: RequisitionsIcon, permission: 'menu.billedRequisitions' },
    ],
    load: async () => (await import('./requisitions-page.tsx')).RequisitionsPage,
  },
  {
    path: '/requisitions/create',
    access: 'requisitions.create',
    menu: [{ place: 'main', label: 'Add Requisition', icon: PlusIcon, permission: 'menu.addRequisition' }],
    load: async () => (await import('../features/requisition-entry/requisition-create-page.tsx')).RequisitionCreatePage,
  },
  {
    path: '/requisitions/:id/show',
    access: 'requisitions.open',
    load: requisitionPage,
  },
  {
    path: '/requisitions/:id/show/:tabSlug',
    access: 'requisitions.open',
    load: requisitionPage,
  },
  {
    path: '/reports',
    access: 'reportsPages.open',
    menu: [{ place: 'main', label: 'Reports', icon: ReportsIcon, permission: 'menu.reports' }],
    load: reportsPage,
  },
  {
    path: '/reports/:tabSlug',
    access: 'reportsPages.open',
    load: reportsPage,
  },
  {
    path: '/insights',
    access: 'reportsPages.open',
    menu: [{ place: 'main', label: 'Insights', icon: InsightsIcon, permission: 'menu.reports' }],
    load: insightsPage,
  },
  { path: '/insights/:tabSlug', access: 'reportsPages.open', load: insightsPage },
  { path: '/insights/:tabSlug/:reportCode', access: 'reportsPages.open', load: insightsPage },
  {
    path: '/users',
    access: 'users.list',
    menu: [{ place: 'main', label: 'Users', icon: UsersIcon, permission: 'menu.users' }],
    load: async () => (await import('../features/users/user-list-page.tsx')).UserListPage,
  },
  {
    path: '/users/create',
    access: 'users.write',
    load: async () => (await import('../features/users/user-form-pages.tsx')).UserCreatePage,
  },
  {
    path: '/users/:id',
    access: 'users.write',
    load: async () => (await import('../features/users/user-form-pages.tsx')).UserEditPage,
  },
  {
    path: '/users/:id/show',
    access: 'users.list',
    load: async () => (await import('../features/users/user-show-page.tsx')).UserShowPage,
  },
  {
    path: '/test-reports-upload',
    access: 'batchFiles.open',
    menu: [{ place: 'main', label: 'Test Reports Upload', icon: UploadIcon, permission: 'menu.testReportsUpload' }],
    load: async () => (await import('../features/batch-files/batch-file-list-page.tsx')).BatchFileListPage,
  },
  {
    path: '/test-reports-upload/matching',
    access: 'batchFiles.upload',
    load: async () => (await import('../features/batch-files/held-files-page.tsx')).HeldFilesPage,
  },
  {
    path: '/freezer-specs',
    access: 'freezer.open',
    menu: [{ place: 'more', label: 'Freezer Reverse Lookup', permission: 'menu.freezer' }],
    load: async () => (await import('../features/freezer/freezer-page.tsx')).FreezerPage,
  },
  {
    path: '/freezer-specs/fill',
    access: 'specimens.place',
    load: async () => (await import('../features/specimens/fill-box-page.tsx')).FillBoxPage,
  },
  {
    path: '/freezer-specs/reconcile',
    access: 'specimens.place',
    load: async () => (await import('../features/specimens/reconcile-page.tsx')).ReconcilePage,
  },
  {
    path: '/freezer-specs/discard',
    access: 'specimens.place',
    load: async () => (await import('../features/specimens/discard-list-page.tsx')).DiscardListPage,
  },
  {
    path: '/batch-csv-upload',
    access: 'batchCsv.open',
    menu: [{ place: 'more', label: 'Batch CSV Upload', permission: 'menu.batchCsv' }],
    load: async () => (await import('../features/csv-loads/csv-load-list-page.tsx')).CsvLoadListPage,
  },
  {
    path: '/labs',
    access: 'labs.read',
    menu: [{ place: 'more', label: 'Laboratories', permission: 'labs.read' }],
    load: async () => (await import('../features/labs/labs-page.tsx')).LabsPage,
  },
  {
    path: '/labs/:id',
    access: 'labs.write',
    load: async () => (await import('../features/labs/lab-edit-page.tsx')).LabEditPage,
  },
  {
    path: '/labs/:id/show',
    access: 'labs.read',
    load: async () => (await import('../features/labs/lab-page.tsx')).LabPage,
  },
  {
    path: '/review',
    access: 'review.read',
    menu: [{ place: 'work', label: 'Review', icon: ReviewIcon, permission: 'review.read', queue: 'REVIEW' }],
    load: async () => (await import('../features/review/review-page.tsx')).ReviewPage,
  },
  {
    path: '/review/rules',
    access: 'review.read',
    load: async () => (await import('../features/review/rules-page.tsx')).AutoverifyRulesPage,
  },
  {
    path: '/review/reflex-rules',
    access: 'review.read',
    load: async () => (await import('../features/review/reflex-page.tsx')).ReflexRulesPage,
  },
  {
    path: '/api-clients',
    access: 'apiClients.manage',
    menu: [{ place: 'more', label: 'API Clients', permission: 'apiClients.manage' }],
    load: async () => (await import('../features/api-clients/api-clients.tsx')).ApiClientListPage,
  },
  {
    path: '/api-clients/create',
    access: 'apiClients.manage',
    load: async () => (await import('../features/api-clients/api-clients.tsx')).ApiClientCreatePage,
  },
  {
    path: '/api-clients/:id',
    access: 'apiClients.manage',
    load: async () => (await import('../features/api-clients/api-clients.tsx')).ApiClientEditPage,
  },
  {
    path: '/api-clients/:id/show',
    access: 'apiClients.manage',
    load: async () => (await import('../features/api-clients/api-client-page.tsx')).ApiClientShowPage,
  },
  {
    path: '/webhooks',
    access: 'webhooks.read',
    menu: [{ place: 'more', label: 'Webhooks', permission: 'webhooks.read' }],
    load: async () => (await import('../features/webhooks/webhooks.tsx')).WebhookListPage,
  },
  {
    path: '/webhooks/create',
    access: 'webhooks.manage',
    load: async () => (await import('../features/webhooks/webhooks.tsx')).WebhookCreatePage,
  },
  {
    path: '/webhooks/:id',
    access: 'webhooks.manage',
    load: async () => (await import('../features/webhooks/webhooks.tsx')).WebhookEditPage,
  },
  {
    path: '/webhooks/:id/show',
    access: 'webhooks.read',
    load: async () => (await import('../features/webhooks/webhook-page.tsx')).WebhookShowPage,
  },
  {
    path: '/quality-control',
    access: 'qc.read',
    menu: [{ place: 'work', label: 'Quality Control', icon: ControlIcon, permission: 'qc.read', queue: 'QC' }],
    load: async () => (await import('../features/quality-control/quality-control-page.tsx')).QualityControlPage,
  },
  {
    path: '/quality-control/setup',
    access: 'qc.read',
    load: async () => (await import('../features/quality-control/setup-page.tsx')).QcSetupPage,
  },
  {
    path: '/quality-control/look-backs',
    access: 'qc.read',
    load: async () => (await import('../features/quality-control/look-backs-page.tsx')).LookBacksPage,
  },
  {
    path: '/critical-calls',
    access: 'critical.call',
    menu: [{ place: 'work', label: 'Critical Calls', icon: CallIcon, permission: 'critical.call', queue: 'CRITICAL' }],
    load: criticalCallsPage,
  },
  {
    path: '/critical-calls/limits',
    access: 'critical.call',
    load: async () => (await import('../features/critical-calls/limits-page.tsx')).CriticalLimitsPage,
  },
  {
    path: '/critical-calls/:id',
    access: 'critical.call',
    load: criticalCallsPage,
  },
  {
    path: '/instruments',
    access: 'instruments.read',
    menu: [{ place: 'more', label: 'Instruments', permission: 'instruments.read' }],
    load: async () => (await import('../features/instruments/instruments.tsx')).InstrumentListPage,
  },
  {
    path: '/instruments/create',
    access: 'instruments.write',
    load: async () => (await import('../features/instruments/instruments.tsx')).InstrumentCreatePage,
  },
  {
    path: '/instruments/:id',
    access: 'instruments.write',
    load: async () => (await import('../features/instruments/instruments.tsx')).InstrumentEditPage,
  },
  {
    path: '/instruments/:id/show',
    access: 'instruments.read',
    load: async () => (await import('../features/instruments/instruments.tsx')).InstrumentShowPage,
  },
  {
    path: '/sign-out',
    access: 'signOut.read',
    menu: [{ place: 'work', label: 'Sign-out', icon: SignIcon, permission: 'signOut.read', queue: 'SIGN' }],
    load: async () => (await import('../features/sign-out/sign-out-page.tsx')).SignOutPage,
  },
  {
    path: '/interfaces',
    access: 'interfaces.read',
    menu: [
      {
        place: 'work',
        label: 'Interfaces',
        icon: InterfacesIcon,
        permission: 'interfaces.read',
        queue: 'HELD_MESSAGE',
      },
    ],
    load: async () => (await import('../features/interfaces/desk-page.tsx')).DeskPage,
  },
  {
    path: '/interfaces/partners',
    access: 'interfaces.read',
    load: async () => (await import('../features/interfaces/partners.tsx')).PartnerListPage,
  },
  {
    path: '/interfaces/partners/create',
    access: 'interfaces.manage',
    load: async () => (await import('../features/interfaces/partners.tsx')).PartnerCreatePage,
  },
  {
    path: '/interfaces/partners/:id',
    access: 'interfaces.manage',
    load: async () => (await import('../features/interfaces/partners.tsx')).PartnerEditPage,
  },
  {
    path: '/interfaces/partners/:id/show',
    access: 'interfaces.read',
    load: async () => (await import('../features/interfaces/partners.tsx')).PartnerShowPage,
  },
  {
    path: '/deliveries',
    access: 'reports.deliver',
    menu: [{ place: 'more', label: 'Late Deliveries', permission: 'reports.deliver' }],
    load: async () => (await import('../features/reports/late-deliveries-page.tsx')).LateDeliveriesPage,
  },
  {
    path: '/undo',
    access: 'profile.own',
    menu: [{ place: 'more', label: 'Undo', permission: 'menu.undo' }],
    load: async () => (await import('../features/undo/undo-page.tsx')).UndoPage,
  },
  {
    path: '/user-profile',
    access: 'profile.own',
    menu: [{ place: 'bottom', label: 'User Profile', icon: UserIcon, permission: 'menu.userProfile' }],
    load: async () => (await import('../features/user-profile/user-profile-page.tsx')).UserProfilePage,
  },
  {
    path: '/user-profile/edit',
    access: 'profile.own',
    load: async () => (await import('../features/user-profile/user-profile-edit-page.tsx')).UserProfileEditPage,
  },
  {
    path: '/deleted',
    access: 'records.restore',
    load: async () => (await import('../features/deleted-records/deleted-records-page.tsx')).DeletedRecordsPage,
  },
  {
    path: '/patients/:id/show',
    access: 'patients.merge',
    load: async () => (await import('../features/patients/patient-page.tsx')).PatientPage,
  },
  {
    path: '/patients/:id/access-log',
    access: 'accessLog.read',
    load: async () => (await import('../features/access-log/patient-access-page.tsx')).PatientAccessPage,
  },
  {
    path: '/login',
    access: 'public',
    load: async () => (await import('../features/sign-in/login-page.tsx')).LoginPage,
  },
  {
    path: '/reset/:token',
    access: 'public',
    load: async () => (await import('../features/sign-in/reset-page.tsx')).ResetPage,
  },
  {
    path: '/board/:key',
    access: 'public',
    load: async () => (await import('../features/boards/board-page.tsx')).BoardPage,
  },
  {
    path: '/unsubscribe/:token',
    access: 'public',
    isInShell: true,
    load: async () => (await import('../features/subscriptions/subscription-pages.tsx')).UnsubscribePage,
  },
  {
    path: '/resubscribe/:token',
    access: 'public',
    isInShell: true,
    load: async () => (await import('../features/subscriptions/subscription-pages.tsx')).ResubscribePage,
  },
  {
    path: '/403',
    access: 'public',
    isInShell: true,
    load: async () => (await import('./status-pages.tsx')).ForbiddenPage,
  },
  { path: '*', access: 'public', isInShell: true, load: async () => (await import('./status-pages.tsx')).NotFoundPage },
]

/** The page at an address without parameters. */
export const routeAt = (path: string): AppRoute | undefined => appRoutes.find((route) => route.path === path)
