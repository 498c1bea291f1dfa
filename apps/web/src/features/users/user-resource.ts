import { type User, userRoutes } from '@lis/contract/users.ts'
import type { Resource } from '../../domain/resource/resource.ts'

export const users: Resource<User, User> = {
  kind: 'user',
  path: 'users',
  title: 'Users',
  itemTitle: 'User',
  permission: 'users.write',
  routes: userRoutes,
}

export const fullUserName = ({ userFirstName, userLastName, userName }: User) =>
  `${userFirstName} ${userLastName} (${userName})`
