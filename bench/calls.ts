export interface BareCall {
  name: string
  /** Of the product. */
  path: string
  /** The best SQL we know for the same page. */
  page: string
  total: string
}

export const bareCalls: BareCall[] = [
  {
    name: 'countries, first page',
    path: 'countries?page=1&perPage=25',
    page: `select id, iso2 as "countryCode", long_name as "countryLongName" from country order by long_name, id limit 25`,
    total: 'select count(*) as total from country',
  },
  {
    name: 'users, first page',
    path: 'users?page=1&perPage=10',
    page: `select u.id, u.id as "userId", first_name as "userFirstName", last_name as "userLastName", phone as "userPhone", email as "userEmail",
      user_name as "userName", role_code as "userRoleCode", status_code as "userStatusCode", is_subscribed, created_at, last_logon_at, u.version,
      (select json_agg(json_build_object('deptId', d.id, 'deptName', d.name) order by d.sort_order)
        from app_user_department x join department d on d.id = x.department_id where x.user_id = u.id) as depts,
      coalesce((select name from client where id = u.client_id), (select name from collaborator where id = u.collaborator_id),
        (select name from lab where id = u.lab_id)) as "entityName"
      from app_user u left join identity_user i on i.user_id = u.id where u.deleted_at is null order by u.id limit 10`,
    total: 'select count(*) as total from app_user where deleted_at is null',
  },
]
