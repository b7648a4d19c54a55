package io.lineage.spark.records;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;

/**
 * The index of a relation without some of its files. It is a proxy, because the methods of the interface have other
 * types in each version of Scala.
 */
final class FilteredIndex implements InvocationHandler {
  private final FileIndex index;
  private final Set<String> paths;

  private FilteredIndex(FileIndex index, Set<String> paths) {
    this.index = index;
    this.paths = paths;
  }

  static FileIndex without(FileIndex index, Set<String> paths) {
    Class<?>[] types = {FileIndex.class};
    FilteredIndex handler = new FilteredIndex(index, paths);
    return (FileIndex) Proxy.newProxyInstance(FileIndex.class.getClassLoader(), types, handler);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "equals":
        return proxy == arguments[0];
      case "hashCode":
        return System.identityHashCode(proxy);
      case "listFiles":
        return filter(call(method, arguments));
      default:
        return call(method, arguments);
    }
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(index, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object filter(Object directories) {
    List<Object> result = new ArrayList<>();
    for (PartitionDirectory directory : Seqs.<PartitionDirectory>list(directories)) {
      List<FileStatus> files = new ArrayList<>();
      for (FileStatusWithMetadata file : Seqs.<FileStatusWithMetadata>list(Catalyst.call(directory, "files"))) {
        if (!paths.contains(file.fileStatus().getPath().toString())) {
          files.add(file.fileStatus());
        }
      }
      if (!files.isEmpty()) {
        result.add(PartitionDirectory.apply(directory.values(), files.toArray(new FileStatus[0])));
      }
    }
    return Seqs.of(result);
  }
}
