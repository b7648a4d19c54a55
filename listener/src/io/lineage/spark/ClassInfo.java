package io.lineage.spark;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import scala.Product;

/** Facts about the class of an operator or expression, computed once for each class. */
final class ClassInfo {
  private static final MethodHandle ELEMENT_NAME = elementName();

  private static final ClassValue<ClassInfo> CACHE =
      new ClassValue<ClassInfo>() {
        @Override
        protected ClassInfo computeValue(Class<?> type) {
          return new ClassInfo(type);
        }
      };

  final String fullName;
  final String simpleName;
  final boolean isSparks;

  private final Class<?> type;
  private volatile String[] elements;

  private ClassInfo(Class<?> type) {
    this.type = type;
    this.fullName = type.getName();
    this.simpleName = simpleName(fullName);
    this.isSparks = fullName.startsWith("org.apache.spark.");
  }

  static ClassInfo of(Object object) {
    return CACHE.get(object.getClass());
  }

  /** Returns the names of the elements of a product of this class. */
  String[] elements(Product product) {
    if (elements == null) {
      elements = ELEMENT_NAME != null ? namesGiven(product) : namesOfFields(product.productArity());
    }
    return elements;
  }

  private static String[] namesGiven(Product product) {
    String[] names = new String[product.productArity()];
    for (int i = 0; i < names.length; i++) {
      try {
        names[i] = (String) ELEMENT_NAME.invoke(product, i);
      } catch (Throwable e) {
        names[i] = "_" + (i + 1);
      }
    }
    return names;
  }

  /**
   * Returns the names of the fields, because Scala 2.12 has no element names at run time. The fields of a case
   * class are in the order of its parameters. Those of lazy values and nested objects precede them or are
   * between them.
   */
  private String[] namesOfFields(int arity) {
    Set<String> lazy = new HashSet<>();
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().endsWith("$lzycompute")) {
        lazy.add(method.getName().replace("$lzycompute", ""));
      }
    }
    String[] names = new String[arity];
    int at = 0;
    for (Field field : type.getDeclaredFields()) {
      boolean isElement = !Modifier.isStatic(field.getModifiers()) && !lazy.contains(field.getName());
      if (isElement && at < arity && !isScalas(field.getName())) {
        names[at++] = field.getName();
      }
    }
    for (; at < arity; at++) {
      names[at] = "_" + (at + 1);
    }
    return names;
  }

  /** Returns whether Scala generates the field, for lazy values, nested objects or the enclosing instance. */
  private static boolean isScalas(String field) {
    return field.startsWith("bitmap$") || field.endsWith("$module") || field.equals("$outer");
  }

  /** Returns an element of a product by its name; null if it has no such element. */
  static Object element(Object holder, String name) {
    Product product = holder instanceof Product ? (Product) holder : null;
    int index = product == null ? -1 : of(product).indexOf(name, product);
    return index < 0 ? null : product.productElement(index);
  }

  int indexOf(String element, Product product) {
    return Arrays.asList(elements(product)).indexOf(element);
  }

  /** Returns the simple name; on Java 8 getSimpleName throws for classes nested in Scala objects. */
  private static String simpleName(String name) {
    int end = name.length();
    while (end > 1 && name.charAt(end - 1) == '$') {
      end--;
    }
    String bare = name.substring(0, end);
    return bare.substring(Math.max(bare.lastIndexOf('.'), bare.lastIndexOf('$')) + 1);
  }

  private static MethodHandle elementName() {
    try {
      MethodType type = MethodType.methodType(String.class, int.class);
      return MethodHandles.publicLookup().findVirtual(Product.class, "productElementName", type);
    } catch (ReflectiveOperationException e) {
      return null; // Scala 2.12 does not have the method
    }
  }
}
