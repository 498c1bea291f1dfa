import { roleName, roleOf } from '@lis/contract/access/roles.ts'
import type { User } from '@lis/contract/users.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

export const findUser = async (db: Db, id: number): Promise<User | undefined> => {
  const row = await db
    .selectFrom('app_user as u')
    .leftJoin('identity_user as i', 'i.user_id', 'u.id')
    .select([
      'u.id',
      'u.first_name',
      'u.last_name',
      'u.phone',
      'u.email',
      'u.user_name',
      'u.role_code',
      'u.status_code',
      'u.is_subscribed',
      'u.created_at',
      'u.last_logon_at',
      sql<number | null>`coalesce(u.client_id, u.collaborator_id, u.physician_id, u.sales_person_id, u.lab_id)`.as(
        'entity_id',
      ),
      sql<
        string | null
      >`coalesce((select name from client where id = u.client_id), (select name from collaborator where id = u.collaborator_id),
        (select last_name || ', ' || first_name from physician where id = u.physician_id),
        (select last_name || ', ' || first_name from sales_person where id = u.sales_person_id), (select name from lab where id = u.lab_id))`.as(
        'entity_name',
      ),
      sql<
        User['depts']
      >`coalesce((select json_agg(json_build_object('deptId', d.id, 'deptName', d.name) order by d.sort_order)
        from app_user_department x join department d on d.id = x.department_id where x.user_id = u.id), '[]')`.as(
        'depts',
      ),
      sql<string | null>`case when i.is_temporary then i.temporary_expires_at end`.as('temporary_expires_at'),
      sql<string>`coalesce((select description from lov where type_code = 'USERSTATUS' and code = u.status_code), u.status_code)`.as(
        'status_desc',
      ),
    ])
    .where('u.id', '=', id)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toUser(row)
}

type UserRow = {
  id: number
  first_name: string
  last_name: string
  phone: string
  email: string
  user_name: string
  role_code: string
  status_code: string
  is_subscribed: boolean
  created_at: string
  last_logon_at: string | null
  entity_id: number | null
  entity_name: string | null
  depts: User['depts']
  temporary_expires_at: string | null
  status_desc: string
}

const toUser = (row: UserRow): User => ({
  id: row.id,
  userId: row.id,
  userFirstName: row.first_name,
  userLastName: row.last_name,
  userPhone: row.phone,
  userEmail: row.email,
  userName: row.user_name,
  userRoleCode: roleOf(row.role_code),
  userRoleDesc: roleName(roleOf(row.role_code)),
  userStatusCode: row.status_code === 'ACT' ? 'ACT' : 'LCK',
  userStatusDesc: row.status_desc,
  deptIds: row.depts.map((dept) => dept.deptId),
  depts: row.depts,
  isSubscribed: row.is_subscribed ? 1 : 0,
  entityId: row.entity_id,
  entityName: row.entity_name,
  userCreateDate: row.created_at,
  lastLogonDate: row.last_logon_at,
  tempPwdExpiredDate: row.temporary_expires_at,
})
